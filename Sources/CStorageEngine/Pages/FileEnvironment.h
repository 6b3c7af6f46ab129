// The disk, the settings and the lists that the data files of a group share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "../Disk/ReaderWriterLock.h"
#include "FileSet.h"
#include "GroupSettings.h"
#include "MemoryLimit.h"

namespace todana {

class DataFile;

// The objects that all data files of a group share. GroupState owns it, and it outlives the files; each DataFile has a
// reference to it.
//
// `open` and `memoryLimit` have their own mutexes. `changed` belongs to the committing thread, under the commit mutex.
// The functions use only the disk and `open`: any thread.
struct FileEnvironment {
  FileEnvironment(Disk &disk, const GroupSettings &settings)
      : disk(disk), settings(settings), memoryLimit(open, settings.limitsMemory) {}

  // Removes an old file with the name of a new one. A commit that was lost in a power failure may have left it. If the
  // new file is shorter, the old bytes would reappear as content.
  void removeLeftover(const std::string &name);
  // Removes a file that no commit names. If that fails, the next opening removes it.
  void removeQuietly(const std::string &name);
  // Removes a building file that was never adopted.
  void endBuilding(const std::string &name);

  Disk &disk;
  const GroupSettings &settings;
  FileSet open;
  MemoryLimit memoryLimit;
  // The files that the commit being applied has changed. They belong to the applying thread.
  std::vector<std::shared_ptr<DataFile>> changed;
};

}  // namespace todana
