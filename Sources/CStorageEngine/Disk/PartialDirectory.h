// A directory that appears at its path whole and durable, or not at all: it is filled beside its place, under the same
// name with `.partial` behind it, and renamed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "DirectoryLock.h"
#include "Disk.h"

namespace todana {

class PartialDirectory {
 public:
  // `path` must not exist, or be an empty directory; the directory that it stands in must exist. What a killed process
  // left of an earlier attempt is removed, as far as `isOurs` knows its name, or it is that of a store's file. Throws
  // Failure: TDN_INVALID where there is something else, TDN_IN_USE while somebody else fills it.
  PartialDirectory(const std::string &path, const std::function<bool(const std::string &name)> &isOurs);
  // Removes what was made, unless it is in its place.
  ~PartialDirectory();
  PartialDirectory(const PartialDirectory &) = delete;
  PartialDirectory &operator=(const PartialDirectory &) = delete;

  Disk &disk() { return *disk_; }
  // Puts the directory in its place; its files must have been flushed. When this throws after the renaming, `isInPlace`
  // says so: then only its durability is in doubt.
  void finish();
  bool isInPlace() const { return isInPlace_; }

 private:
  void checkPlace() const;

  const std::string path_, partialPath_;
  // Of the file that a store in the directory is locked by, and is left there.
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<Disk> disk_;
  bool isInPlace_ = false;
};

// Renames a directory, and makes its name durable.
void putInPlace(const std::string &from, const std::string &to);

// The path of the directory in which something stands.
std::string parentOf(const std::string &path);
std::string withoutLastSlashes(std::string path);

}  // namespace todana
