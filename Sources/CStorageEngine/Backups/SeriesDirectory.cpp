#include "SeriesDirectory.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <sys/stat.h>

#include "../Disk/Failure.h"
#include "../Disk/PartialDirectory.h"

namespace todana {

namespace {

constexpr char kManifestSuffix[] = ".manifest";
constexpr char kSegmentSuffix[] = ".pieces";
constexpr char kReadingLock[] = "reading";

std::string nameWith(uint32_t number, const char *suffix) {
  char text[32];
  std::snprintf(text, sizeof text, "%06u%s", number, suffix);
  return text;
}

}  // namespace

std::string SeriesDirectory::manifestName(uint32_t number) { return nameWith(number, kManifestSuffix); }
std::string SeriesDirectory::segmentName(uint32_t number) { return nameWith(number, kSegmentSuffix); }

std::optional<uint32_t> SeriesDirectory::numberOf(const std::string &name, const char *suffix) {
  const size_t length = name.find_first_not_of("0123456789");
  if (length == std::string::npos || length > 10 || name.compare(length, std::string::npos, suffix) != 0) return {};
  uint64_t number = 0;
  for (size_t index = 0; index < length; index++) number = number * 10 + static_cast<uint64_t>(name[index] - '0');
  // Accept only one name for each number.
  if (number == 0 || number > UINT32_MAX || nameWith(static_cast<uint32_t>(number), suffix) != name) return {};
  return static_cast<uint32_t>(number);
}

SeriesDirectory::SeriesDirectory(const std::string &path, Use use) : path_(withoutLastSlashes(path)) {
  if (path_.empty()) throw Failure(TDN_INVALID, "the path of the backup series is empty");
  struct stat status;
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) throw Failure::fromErrno(errno, "cannot find the backup series", path_);
    if (use != Use::add) throw Failure(TDN_NOT_FOUND, "there are no backups at the path", path_);
    if (::mkdir(path_.c_str(), kDirectoryPermissions) == 0) {
      DirectoryDisk(parentOf(path_)).flushDirectory();
    } else if (errno != EEXIST) {
      throw Failure::fromErrno(errno, "cannot create the directory of the backup series", path_);
    }
  } else if (!S_ISDIR(status.st_mode)) {
    throw Failure(TDN_NOT_A_STORE, "a backup series is a directory, but there is a file at its path", path_);
  }
  disk_ = std::make_shared<DirectoryDisk>(path_);
  // Check before lock files are created: nothing is created in a directory with other content.
  list();
  if (use == Use::list) return;
  const std::string what = "the backup series";
  if (use != Use::read) {
    writing_ = DirectoryLock::acquire(
      path_, DirectoryLock::Kind::exclusive, true, 0, "", DirectoryLock::kName, what);
  }
  if (use == Use::add) {
    disk_->open(kReadingLock, Disk::Mode::create);
  } else {
    // A user without write permission cannot create the file. If it does not exist, no pruning has run yet.
    const bool prunes = use == Use::prune;
    reading_ = DirectoryLock::acquire(
      path_, prunes ? DirectoryLock::Kind::exclusive : DirectoryLock::Kind::shared, prunes, 0, "", kReadingLock, what);
  }
  list();
}

SeriesDirectory::SeriesDirectory(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) { list(); }

void SeriesDirectory::list() {
  manifests_.clear();
  segments_.clear();
  bool hasOthers = false;
  for (const std::string &name : disk_->list()) {
    if (auto number = numberOf(name, kManifestSuffix)) {
      manifests_.push_back(*number);
    } else if (auto number = numberOf(name, kSegmentSuffix)) {
      segments_.push_back(*number);
    } else if (name != DirectoryLock::kName && name != kReadingLock &&
               !numberOf(name, newName(kManifestSuffix).c_str())) {
      hasOthers = true;
    }
  }
  if (hasOthers && manifests_.empty()) {
    throw Failure(TDN_NOT_A_STORE, "the directory contains other files than backups", path_);
  }
  std::sort(manifests_.begin(), manifests_.end());
  std::sort(segments_.begin(), segments_.end());
}

uint32_t SeriesDirectory::find(uint64_t number) const {
  if (manifests_.empty()) throw Failure(TDN_NOT_FOUND, "there are no backups at the path", path_);
  if (number == 0) return manifests_.back();
  if (number > UINT32_MAX || !std::binary_search(manifests_.begin(), manifests_.end(), static_cast<uint32_t>(number))) {
    throw Failure(TDN_NOT_FOUND, "there is no backup " + std::to_string(number), path_);
  }
  return static_cast<uint32_t>(number);
}

}  // namespace todana
