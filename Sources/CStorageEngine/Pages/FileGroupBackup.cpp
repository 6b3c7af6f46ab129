// FileGroup's part in backups: which files, and how much of each, make one commit.
#include <algorithm>

#include "../Disk/Failure.h"
#include "../Log/LogIndex.h"
#include "FileGroup.h"

namespace todana {

FileGroup::BackupPlan FileGroup::planBackup(const std::function<bool(const std::string &)> &isWanted) {
  if (state_.settings.isVolatile) throw Failure(TDN_INVALID, "a store in memory has no files to copy");
  BackupPlan plan;
  MutexLock noCheckpoint(checkpointer_.mutex());
  // Between two commits: pages of a large one stand in their file before the log says so.
  MutexLock noCommit(state_.commitMutex);
  throwIfPoisoned();
  plan.commitNumber = state_.ring.newest();
  const LogPair &logs = state_.logs;
  for (const std::string &name : state_.disk.list()) {
    const bool isLog = name == logName(1) || name == logName(2);
    if (!isWanted(name)) continue;
    // Before the file is opened: one that is built, and given up meanwhile, is removed first and forgotten then.
    const std::optional<int64_t> end = state_.files.open.committedEnd(name);
    if (!end) continue;
    std::unique_ptr<DiskFile> file = state_.disk.open(name, Disk::Mode::read);
    if (!file) continue;
    int64_t byteCount = file->size();
    if (isLog) {
      std::optional<LogHeader> header = LogIndex::readHeader(state_.disk, name.c_str());
      if (!header) continue;
      if (logs.current() && header->generation == logs.current()->generation()) {
        byteCount = std::min(byteCount, logs.tail());  // which is where the next commit begins, and may lie ahead
      } else if (logs.hasClosed() && header->generation == logs.closed().generation) {
        byteCount = std::min(byteCount, logs.closed().tail);
      } else if (!state_.settings.readOnly) {
        continue;  // written back, and waiting to be used again
      }
    } else {
      byteCount = std::min(byteCount, *end);
    }
    plan.files.push_back({name, byteCount});
  }
  plan.hold = checkpointer_.holds().add();
  return plan;
}

void FileGroup::endBackups() {
  MutexLock noCheckpoint(checkpointer_.mutex());
  checkpointer_.holds().endAll();
}

}  // namespace todana
