// The open data files of a group, and the names of files that are being built.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../Disk/Mutex.h"

namespace todana {

class DataFile;

// One object for each open file. FileEnvironment owns the set; FileGroup, Checkpointer, GroupState and MemoryLimit use
// it.
//
// Any thread: its mutex guards both lists.
class FileSet {
 public:
  // Returns null if the file is not open.
  std::shared_ptr<DataFile> find(uint32_t number);
  // Returns the file; if it is not open, the one that `open` returns. Other threads wait until it has.
  std::shared_ptr<DataFile> findOrOpen(uint32_t number, const std::function<std::shared_ptr<DataFile>()> &open);
  // Adds a file, which is not being built any more.
  void add(const std::shared_ptr<DataFile> &file);
  void remove(uint32_t number);
  std::vector<std::shared_ptr<DataFile>> all();
  // Returns the files that have repaired pages which their main files do not have yet.
  std::vector<std::shared_ptr<DataFile>> repaired();
  // Calls `body` with each file. Returns false, without calling it, if another thread uses the set.
  bool tryForEach(const std::function<void(const DataFile &)> &body);
  size_t count();

  // Closes files that have no other user, and that no log from generation `liveGeneration` on mentions.
  void closeIdle(uint64_t liveGeneration);

  void addBuilding(const std::string &name);
  void forgetBuilding(const std::string &name);
  // Returns where a file ends for a copy of the newest commit: later commits may write behind that. The largest number
  // for a file that is not open; nothing for one that is being built.
  std::optional<int64_t> committedEnd(const std::string &name);

 private:
  Mutex mutex_;  // taken after all others of a group but the repair lock
  std::map<uint32_t, std::shared_ptr<DataFile>> files_ TDN_GUARDED_BY(mutex_);
  std::set<std::string> buildingNames_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
