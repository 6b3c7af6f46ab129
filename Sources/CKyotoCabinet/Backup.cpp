#include "Backup.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <sys/stat.h>
#include <unistd.h>

#include "Failure.h"

namespace todana {

namespace {

constexpr int64_t kStep = 4 << 20;

std::string parentOf(const std::string &path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string withoutLastSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Backup::Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source)
    : path_(withoutLastSlashes(path)), partialPath_(path_ + ".partial"), plan_(std::move(plan)), source_(source),
      buffer_(kStep) {
  if (path_.empty()) throw Failure(TDN_INVALID, "the path of the backup is empty");
  struct stat status;
  if (::stat(path_.c_str(), &status) == 0 && (!S_ISDIR(status.st_mode) || !DirectoryDisk(path_).list().empty())) {
    throw Failure(TDN_INVALID, "there is something at the backup's path already", path_);
  }
  if (::mkdir(partialPath_.c_str(), 0777) != 0 && errno != EEXIST) {
    throw Failure::fromErrno(errno, "cannot create the directory", partialPath_);
  }
  target_ = std::make_unique<DirectoryDisk>(partialPath_);
  // Left by one that was killed; anything else is somebody's.
  const std::vector<std::string> remnants = target_->list();
  if (!std::all_of(remnants.begin(), remnants.end(), [this](const std::string &name) { return isRemnant(name); })) {
    throw Failure(TDN_INVALID, "there is something else in the directory that the backup is made in", partialPath_);
  }
  for (const std::string &name : remnants) target_->remove(name);
  for (const auto &file : plan_.files) byteCount_ += file.byteCount;
}

// Data files, whose names begin with a number, differ from backup to backup; the others do not.
bool Backup::isRemnant(const std::string &name) const {
  const size_t hyphen = name.find_first_not_of("0123456789");
  if (hyphen != std::string::npos && hyphen >= 4 && name[hyphen] == '-') return true;
  return name == "log-a" || name == "log-b" ||
         std::any_of(plan_.files.begin(), plan_.files.end(), [&](const auto &file) { return file.name == name; });
}

Backup::~Backup() {
  if (!isDone_) removeCopies();
}

void Backup::removeCopies() {
  try {
    to_.reset();
    for (const std::string &name : target_->list()) target_->remove(name);
    ::rmdir(partialPath_.c_str());
  } catch (const std::exception &) {
    // The next backup to this path removes them.
  }
}

int64_t Backup::next() {
  int64_t room = kStep;
  while (room > 0 && !isDone_) {
    if (plan_.hold->hasEnded) throw Failure(TDN_INTERRUPTED, "the store was closed or reopened, which ended the backup");
    if (file_ == plan_.files.size()) {
      finish();
      break;
    }
    const auto &file = plan_.files[file_];
    if (!to_) {
      from_ = source_.open(file.name, Disk::Mode::read);
      if (!from_) throw Failure(TDN_DAMAGED, "the file is missing", file.name);
      to_ = target_->open(file.name, Disk::Mode::create);
    }
    const int64_t wanted = std::min(room, file.byteCount - offset_);
    if (wanted > 0) {
      const size_t count = from_->read(offset_, buffer_.data(), static_cast<size_t>(wanted));
      if (static_cast<int64_t>(count) < wanted) throw Failure(TDN_DAMAGED, "the file is cut short", file.name);
      to_->write(offset_, buffer_.data(), count);
      offset_ += wanted;
      copied_ += wanted;
      room -= wanted;
    }
    if (offset_ == file.byteCount) {
      to_->flush();
      from_.reset();
      to_.reset();
      offset_ = 0;
      file_++;
    }
  }
  return copied_;
}

void Backup::finish() {
  target_->flushDirectory();
  if (::rename(partialPath_.c_str(), path_.c_str()) != 0) {
    throw Failure::fromErrno(errno, "cannot put the backup in its place", path_);
  }
  isDone_ = true;
  plan_.hold.reset();
  DirectoryDisk(parentOf(path_)).flushDirectory();
}

}  // namespace todana
