// FileGroup's part in backups: which files, and how much of each, make one commit.
#include <algorithm>
#include <cstdlib>

#include "../Disk/Failure.h"
#include "../Log/LogIndex.h"
#include "FileGroup.h"

namespace todana {

FileGroup::BackupPlan FileGroup::planBackup(const std::function<bool(const std::string &)> &isWanted) {
  if (settings_.isVolatile) throw Failure(TDN_INVALID, "a store in memory has no files to copy");
  BackupPlan plan;
  std::lock_guard<std::mutex> noCheckpoint(checkpointMutex_);
  // Between two commits: pages of a large one stand in their file before the log says so.
  std::lock_guard<std::mutex> noCommit(commitMutex_);
  throwIfPoisoned();
  plan.commitNumber = ring_.newest();
  for (const std::string &name : disk_.list()) {
    const bool isLog = name == logName(1) || name == logName(2);
    if (!isWanted(name)) continue;
    // Before the file is opened: one that is built, and given up meanwhile, is removed first and forgotten then.
    const std::optional<int64_t> end = committedEnd(name);
    if (!end) continue;
    std::unique_ptr<DiskFile> file = disk_.open(name, Disk::Mode::read);
    if (!file) continue;
    int64_t byteCount = file->size();
    if (isLog) {
      std::optional<LogHeader> header = LogIndex::readHeader(disk_, name.c_str());
      if (!header) continue;
      if (log_ && header->generation == log_->generation()) {
        byteCount = std::min(byteCount, log_->tail());  // which is where the next commit begins, and may lie ahead
      } else if (closing_.generation != 0 && header->generation == closing_.generation) {
        byteCount = std::min(byteCount, closing_.tail);
      } else if (!settings_.readOnly) {
        continue;  // carried, and waiting to be used anew
      }
    } else {
      byteCount = std::min(byteCount, *end);
    }
    plan.files.push_back({name, byteCount});
  }
  plan.hold = std::make_shared<BackupHold>(backupCount_);
  backups_.erase(
    std::remove_if(backups_.begin(), backups_.end(), [](const auto &hold) { return hold.expired(); }), backups_.end());
  backups_.push_back(plan.hold);
  return plan;
}

// What later commits write to a main file directly comes behind this. None for a file that is still being built.
std::optional<int64_t> FileGroup::committedEnd(const std::string &name) {
  std::lock_guard<std::mutex> lock(filesMutex_);
  if (buildingNames_.count(name)) return std::nullopt;
  for (const auto &[number, file] : files_) {
    if (file->name_ == name) return pageCeiling(file->committedSize_);
  }
  return INT64_MAX;
}

void FileGroup::endBackups() {
  std::lock_guard<std::mutex> lock(checkpointMutex_);
  for (const std::weak_ptr<BackupHold> &backup : backups_) {
    if (std::shared_ptr<BackupHold> hold = backup.lock()) hold->hasEnded = true;
  }
}

}  // namespace todana
