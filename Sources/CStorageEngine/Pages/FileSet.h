// The open data files of a group, and the names of building files.
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

// A set with one DataFile for each open file. FileEnvironment owns it; FileGroup, Checkpointer, GroupState and
// MemoryLimit use it.
//
// Any thread: its mutex guards the files, and the names of building files.
class FileSet {
 public:
  // Returns the open file with this number, or null.
  std::shared_ptr<DataFile> find(uint32_t number);
  // Returns the file. If it is not open, adds the result of `open`; other threads wait for that.
  std::shared_ptr<DataFile> findOrOpen(uint32_t number, const std::function<std::shared_ptr<DataFile>()> &open);
  // Adds a file, which is no longer a building file.
  void add(const std::shared_ptr<DataFile> &file);
  void remove(uint32_t number);
  std::vector<std::shared_ptr<DataFile>> all();
  // Returns the files with repaired pages that their main files do not have yet.
  std::vector<std::shared_ptr<DataFile>> repaired();
  // Calls `body` with each file. Returns false, without calling it, if another thread is using the set.
  bool tryForEach(const std::function<void(const DataFile &)> &body);
  size_t count();

  // Closes files that have no other user, and that no log from generation `liveGeneration` on mentions.
  void closeIdle(uint64_t liveGeneration);

  void addBuilding(const std::string &name);
  void forgetBuilding(const std::string &name);
  // Returns the size of a file for a copy of the newest commit, because later commits may write after it. Returns
  // INT64_MAX for a file that is not open, and nothing for a building file.
  std::optional<int64_t> committedEnd(const std::string &name);

 private:
  Mutex mutex_;  // taken after all others of a group but the repair lock
  std::map<uint32_t, std::shared_ptr<DataFile>> files_ TDN_GUARDED_BY(mutex_);
  std::set<std::string> buildingNames_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
