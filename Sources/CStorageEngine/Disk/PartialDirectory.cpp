#include "PartialDirectory.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <sys/stat.h>
#include <unistd.h>

#include "Failure.h"
#include "FileNames.h"

namespace todana {

std::string parentOf(const std::string &path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string withoutLastSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

namespace {

// Tests whether a store may have a file with this name. Only data files have different names in each store; these begin
// with a number.
bool isStoreFile(const std::string &name) {
  return fileNumberIn(name) || name == "log-a" || name == "log-b" || name == DirectoryLock::kName;
}

void renameDirectory(const std::string &from, const std::string &to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    throw Failure::fromErrno(errno, "cannot move the copy into place", to);
  }
}

}  // namespace

PartialDirectory::PartialDirectory(
  const std::string &path, const std::function<bool(const std::string &name)> &isOurs)
    : path_(withoutLastSlashes(path)), partialPath_(path_ + ".partial") {
  if (path_.empty()) throw Failure(TDN_INVALID, "the path of the copy is empty");
  checkPlace();
  const bool isNew = ::mkdir(partialPath_.c_str(), kDirectoryPermissions) == 0;
  if (!isNew && errno != EEXIST) throw Failure::fromErrno(errno, "cannot create the directory", path_);
  // Check before the lock file is created: nothing is created in a directory with other content.
  auto check = [&] {
    std::vector<std::string> names = DirectoryDisk(partialPath_).list();
    if (!std::all_of(names.begin(), names.end(), [&](const auto &name) { return isStoreFile(name) || isOurs(name); })) {
      throw Failure(TDN_INVALID, "the directory for the unfinished copy contains other files", partialPath_);
    }
    return names;
  };
  try {
    check();
    lock_ = DirectoryLock::acquire(
      partialPath_, DirectoryLock::Kind::exclusive, true, 0, "", DirectoryLock::kName, "the directory of the copy");
    disk_ = std::make_unique<DirectoryDisk>(partialPath_);
    // The previous holder of the lock may have renamed the directory to its final name, or removed it.
    std::unique_ptr<DiskFile> file = disk_->open(DirectoryLock::kName, Disk::Mode::read);
    if (!file || !lock_->isOf(file->descriptor())) {
      throw Failure(TDN_IN_USE, "another copy was just made at this path", path_);
    }
    checkPlace();
    for (const std::string &name : check()) {
      if (name != DirectoryLock::kName) disk_->remove(name);
    }
  } catch (...) {
    // Remove the lock file only if this object holds the lock: otherwise it belongs to another copy.
    if (isNew && lock_ && disk_) {
      ::unlink((partialPath_ + "/" + DirectoryLock::kName).c_str());
    }
    if (isNew) ::rmdir(partialPath_.c_str());
    throw;
  }
}

void PartialDirectory::checkPlace() const {
  struct stat status;
  if (::stat(path_.c_str(), &status) == 0 && (!S_ISDIR(status.st_mode) || !DirectoryDisk(path_).list().empty())) {
    throw Failure(TDN_INVALID, "something already exists at the path of the copy", path_);
  }
}

PartialDirectory::~PartialDirectory() {
  // A child of the process has only a copy of this object.
  if (isInPlace_ || guard_.isInChild()) return;
  try {
    // Remove the lock file last: until then, no other copy can use the directory.
    for (const std::string &name : disk_->list()) {
      if (name != DirectoryLock::kName) disk_->remove(name);
    }
    disk_->remove(DirectoryLock::kName);
    ::rmdir(partialPath_.c_str());
  } catch (const std::exception &) {
    // The next copy to this path removes the remaining files.
  }
}

void PartialDirectory::finish() {
  disk_->flushDirectory();
  renameDirectory(partialPath_, path_);
  isInPlace_ = true;
  lock_ = nullptr;
  DirectoryDisk(parentOf(path_)).flushDirectory();
}

void putInPlace(const std::string &from, const std::string &to) {
  renameDirectory(from, to);
  DirectoryDisk(parentOf(to)).flushDirectory();
}

}  // namespace todana
