// A directory that appears at its path complete and durable, or not at all. It is filled under the same name with
// `.partial` appended, and then renamed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "DirectoryLock.h"
#include "Disk.h"

namespace todana {

// The target directory of a copy. Backup, BackupWriter and SeriesRestore each own one. One thread at a time.
//
// A file lock in the new directory excludes a second copy to the same path, by this process or another one.
class PartialDirectory {
 public:
  // Creates the directory next to `path`, which must not exist or be an empty directory. The parent must exist. Removes
  // files that a killed process left: those with names of a store's files, and those that `isOurs` accepts. Throws
  // Failure: TDN_INVALID if the directory has other content, TDN_IN_USE while another copy to that path is being made.
  PartialDirectory(const std::string &path, const std::function<bool(const std::string &name)> &isOurs);
  // Removes the directory, unless `finish` has renamed it.
  ~PartialDirectory();
  PartialDirectory(const PartialDirectory &) = delete;
  PartialDirectory &operator=(const PartialDirectory &) = delete;

  Disk &disk() { return *disk_; }
  // Renames the directory to its final name, and makes the name durable. Its files must have been flushed. If the
  // function throws after the renaming, `isInPlace` returns true, and only the durability of the name is in doubt.
  void finish();
  bool isInPlace() const { return isInPlace_; }

 private:
  void checkPlace() const;

  const std::string path_, partialPath_;
  // The lock of the future store, whose file stays in the directory.
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<Disk> disk_;
  bool isInPlace_ = false;
  const ForkGuard guard_;
};

// Renames a directory, and makes its new name durable.
void putInPlace(const std::string &from, const std::string &to);

// Returns the path of the directory that contains a file or directory.
std::string parentOf(const std::string &path);
std::string withoutLastSlashes(std::string path);

}  // namespace todana
