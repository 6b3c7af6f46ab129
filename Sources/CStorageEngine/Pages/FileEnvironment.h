// The surroundings of a group's data files: their disk and settings, and the lists that they enter themselves in.
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

// GroupState owns it, and outlives the files; each DataFile has a reference to it.
//
// `open` and `memoryLimit` have their own mutexes. `changed` belongs to the committing thread, under the commit mutex.
// The functions only call the disk and `open`: any thread.
struct FileEnvironment {
  FileEnvironment(Disk &disk, const GroupSettings &settings)
      : disk(disk), settings(settings), memoryLimit(open, settings.limitsMemory) {}

  // Removes a file that stands in the way of a new one: a commit that a power failure took away may have left it, and
  // its bytes would come back as content where the new file is shorter.
  void removeLeftover(const std::string &name);
  // Removes a file that no commit names. If it cannot be removed, the next opening removes it.
  void removeQuietly(const std::string &name);
  // Forgets a file that was being built, and was never adopted.
  void endBuilding(const std::string &name);

  Disk &disk;
  const GroupSettings &settings;
  FileSet open;
  MemoryLimit memoryLimit;
  // The files that the commit being applied has changed, which belong to the applying thread.
  std::vector<std::shared_ptr<DataFile>> changed;
};

}  // namespace todana
