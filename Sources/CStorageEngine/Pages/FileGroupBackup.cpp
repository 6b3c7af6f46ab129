// FileGroup's part in backups: the files of one commit, and how much of each is part of it.
#include <algorithm>

#include "../Disk/Failure.h"
#include "../Log/LogIndex.h"
#include "FileGroup.h"

namespace todana {

FileGroup::BackupPlan FileGroup::planBackup(const std::function<bool(const std::string &)> &isWanted) {
  if (state_.settings.isVolatile) throw Failure(TDN_INVALID, "a store in memory has no files to copy");
  BackupPlan plan;
  MutexLock noCheckpoint(checkpointer_.mutex());
  // The plan must lie between two commits: pages of a large commit are in their file before it counts.
  MutexLock noCommit(state_.commitMutex);
  throwIfPoisoned();
  plan.commitNumber = state_.ring.newest();
  const LogPair &logs = state_.logs;
  for (const std::string &name : state_.disk.list()) {
    const bool isLog = name == logName(1) || name == logName(2);
    if (!isWanted(name)) continue;
    // Query before opening the file: an abandoned building file is first deleted, and then removed from the list.
    const std::optional<int64_t> end = state_.files.open.committedEnd(name);
    if (!end) continue;
    std::unique_ptr<DiskFile> file = state_.disk.open(name, Disk::Mode::read);
    if (!file) continue;
    int64_t byteCount = file->size();
    if (isLog) {
      std::optional<LogHeader> header = LogIndex::readHeader(state_.disk, name.c_str());
      if (!header) continue;
      if (logs.current() && header->generation == logs.current()->generation()) {
        byteCount = std::min(byteCount, logs.tail());  // the next commit's offset, maybe beyond the end
      } else if (logs.hasClosed() && header->generation == logs.closed().generation) {
        byteCount = std::min(byteCount, logs.closed().tail);
      } else if (!state_.settings.readOnly) {
        continue;  // written back, and waiting for reuse
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
