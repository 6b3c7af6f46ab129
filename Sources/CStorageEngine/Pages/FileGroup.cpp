#include "FileGroup.h"

#include <algorithm>
#include <chrono>

#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"
#include "../Log/LogIndex.h"
#include "Checkpoint.h"
#include "PageSums.h"

namespace todana {

FileGroup::~FileGroup() {
  // From now on, another process may open the directory.
  state_.mainFileChanges.increment();
  checkpointer_.stopBackground();
  endBackups();
}

std::unique_ptr<FileGroup> FileGroup::open(Disk &disk, const Settings &settings, Report &report) {
  std::unique_ptr<FileGroup> group(new FileGroup(disk, settings));
  if (!settings.isVolatile) group->recover(report);
  if (group->commitNumber() < settings.leastCommit) {
    throw Failure(TDN_ROLLED_BACK, "the store lacks commits that it had: its files were deleted or replaced");
  }
  group->state_.flush.begin(group->commitNumber());
  // Tries again, every second, to write back the logs for which the disk had no room.
  if (group->state_.lastCheckpointFailed) group->checkpointer_.want(true, false);
  return group;
}

// MARK: Recovery

void FileGroup::recover(Report &report) {
  const auto start = std::chrono::steady_clock::now();
  const CommitRing::Outcome ring = state_.ring.load(state_.disk, state_.settings.repairsBits);
  struct Log {
    const char *name;
    LogHeader header;
  };
  std::vector<Log> logs;
  for (const char *name : {logName(1), logName(2)}) {
    if (std::optional<LogHeader> header = LogIndex::readHeader(state_.disk, name)) logs.push_back({name, *header});
  }
  std::sort(logs.begin(), logs.end(), [](const Log &left, const Log &right) {
    return left.header.generation < right.header.generation;
  });
  const uint64_t writtenBack = state_.ring.newest();
  report.commitNumber = writtenBack;
  const bool hasFirstCommit = !logs.empty() && logs.front().header.firstCommit == 1;
  if (!hasFirstCommit) requireRing(ring);
  if (logs.empty()) return;
  {
    MutexLock commitLock(state_.commitMutex);
    state_.logs.setNextGeneration(logs.back().header.generation + 1);
  }
  if (!state_.settings.readOnly) {
    // After a kill, the content read here may exist only in the system's memory. Flush it first: commits that a power
    // failure could still remove must not be written to main files. A log must not be reused before the list of last
    // commits on disk covers it.
    CommitRing::flush(state_.disk);
    for (const Log &log : logs) state_.disk.open(log.name, Disk::Mode::write)->flush();
  }
  // Ignore an older log that was written back entirely, or that does not lead up to the newer one.
  if (logs.size() == 2 && (logs[1].header.firstCommit <= writtenBack + 1 ||
                           logs[0].header.generation + 1 != logs[1].header.generation)) {
    logs.erase(logs.begin());
  }

  auto index = std::make_unique<LogIndex>();
  for (const Log &log : logs) {
    // No commit may be missing between this log and its predecessor: the previous log or the main files.
    const uint64_t reached = std::max(writtenBack, index->lastCommit);
    if (log.header.firstCommit > reached + 1) {
      throw Failure(TDN_DAMAGED, "the log is damaged: commits before it are missing", log.name);
    }
    index->add(state_.disk, log.name, log.header, INT64_MAX);
  }
  if (index->lastCommit == 0) requireRing(ring);
  if (index->lastCommit <= writtenBack) return;
  index->sort();
  for (size_t position = 0; position < index->batchIDs.size(); position++) {
    state_.ring.add(index->firstCommit + position, index->batchIDs[position].data());
  }
  report.commitNumber = state_.ring.newest();
  report.recoveredCommits = state_.ring.newest() - writtenBack;
  if (state_.settings.readOnly) {
    overlay_ = std::move(index);
  } else if (!mayResume(*index) || !tryToResume(*index)) {
    try {
      state_.counters.checkpointBytes += writeBackToMainFiles(
        state_.disk, *index, true, state_.settings.strict ? state_.settings.sectorSize : 0);
      state_.ring.write(state_.disk, state_.ring.newest());
    } catch (const Failure &failure) {
      // In strict mode the main files may have torn sectors, which only a complete recovery repairs.
      if (failure.code != TDN_NO_SPACE || state_.settings.strict) throw;
      resumeLogs(*index);
      state_.lastCheckpointFailed = hadNoRoom_ = true;
    }
  }
  report.recoverySeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Tests whether to go on with a log as it is. That is faster than writing it back, which flushes every main file. It is
// done only if no checkpoint is due soon, and only after small commits: large ones, cuts and drops have changed main
// files themselves. If there are two logs, a checkpoint was interrupted. In strict mode the main files may have torn
// sectors, which only a complete recovery repairs.
bool FileGroup::mayResume(const LogIndex &index) const {
  const bool isShort = index.byteCount <= state_.settings.logLimit / 2;
  if (state_.settings.strict || index.logs.size() != 1 || !isShort) return false;
  return std::all_of(index.files.begin(), index.files.end(), [&](const auto &entry) {
    const LogIndex::File &file = entry.second;
    if (file.isDropped || !file.direct.empty() || file.cutSize != INT64_MAX) return false;
    const std::unique_ptr<DiskFile> main = state_.disk.open(file.name, Disk::Mode::read);
    return (main ? main->size() : 0) == file.baseSize;
  });
}

// Returns false if a main file is missing or damaged. Recovery leaves such a file as it is, and opens the others.
bool FileGroup::tryToResume(const LogIndex &index) {
  try {
    resumeLogs(index);
    return true;
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    return false;
  }
}

// Goes on with the logs as they are. Their pages are in memory, as after the commits that wrote them. Everything that
// was written back is written again by the next checkpoint.
void FileGroup::resumeLogs(const LogIndex &index) {
  std::vector<std::shared_ptr<DataFile>> files;
  for (const auto &[number, logged] : index.files) {
    if (!logged.isDropped) files.push_back(DataFile::open(state_.files, number, logged.name, &logged));
  }
  for (const std::shared_ptr<DataFile> &file : files) {
    state_.files.open.add(file);
    state_.counters.privatePages += file->privatePageCount();
  }
  MutexLock commitLock(state_.commitMutex);
  const LogIndex::Log &newest = index.logs.back();
  LogPair::Closed closed;
  if (index.logs.size() > 1) closed = {index.logs.front().header.generation, index.logs.front().end};
  state_.logs.resume(
    std::make_unique<LogWriter>(state_.disk, newest.header, newest.end, state_.settings.strict), closed);
  for (const auto &[number, logged] : index.files) {
    if (logged.isDropped) state_.logs.addDropped(logged.name);
  }
  state_.flush.setFile(state_.logs.current()->sharedFile());
  state_.counters.liveLogBytes = state_.logs.byteCount();
}

// Requires the list of the last commits. Called if no log has the first commit. Without the list, the store would be
// taken for a new one, and the next commit would remove its files. Throws Failure(TDN_DAMAGED) if the list is damaged,
// or missing although there are checksums of data files. The first checkpoint writes both while its log still has the
// first commit, so later only damage explains a missing list.
void FileGroup::requireRing(CommitRing::Outcome ring) const {
  switch (ring) {
    case CommitRing::Outcome::found: return;
    case CommitRing::Outcome::damaged:
      throw Failure(
        TDN_DAMAGED,
        "the list of the last commits is damaged: restore a backup, or salvage the store",
        CommitRing::kFileName);
    case CommitRing::Outcome::missing: break;
  }
  const bool wasWrittenBack = std::any_of(state_.settings.firstFiles.begin(), state_.settings.firstFiles.end(), [&](const auto &name) {
    return state_.disk.open(PageSums::nameFor(name), Disk::Mode::read) != nullptr;
  });
  if (!wasWrittenBack) return;
  throw Failure(
    TDN_DAMAGED,
    "the list of the last commits is missing: restore a backup, or salvage the store",
    CommitRing::kFileName);
}

void FileGroup::keepOnly(const std::vector<uint32_t> &numbers) {
  if (state_.settings.isVolatile || state_.settings.readOnly) return;
  for (const std::string &name : state_.disk.list()) {
    const std::optional<uint32_t> number = fileNumberIn(name);
    if (number && !std::binary_search(numbers.begin(), numbers.end(), *number)) state_.disk.remove(name);
  }
}

// MARK: Files

const LogIndex::File *FileGroup::loggedFile(uint32_t number) const {
  if (!overlay_) return nullptr;
  const auto entry = overlay_->files.find(number);
  return entry == overlay_->files.end() ? nullptr : &entry->second;
}

std::shared_ptr<DataFile> FileGroup::openFile(uint32_t number, const std::string &name) {
  return state_.files.open.findOrOpen(number, [&] {
    if (state_.settings.isVolatile) throw Failure(TDN_DAMAGED, "the file is missing", name);
    return DataFile::open(state_.files, number, name, loggedFile(number));
  });
}

void FileGroup::closeIdleFiles(bool waits) {
  if (state_.settings.isVolatile) return;  // closed files could not be opened again
  if (waits) {
    MutexLock commitLock(state_.commitMutex);
    state_.closeIdleFiles();
  } else if (state_.commitMutex.tryLock()) {
    MutexLock commitLock(state_.commitMutex, std::adopt_lock);
    state_.closeIdleFiles();
  }
}

std::shared_ptr<DataFile> FileGroup::createFile(uint32_t number, const std::string &name) {
  std::shared_ptr<DataFile> file = DataFile::create(state_.files, number, name);
  state_.files.open.add(file);
  state_.files.changed.push_back(file);
  return file;
}

void FileGroup::dropFile(const std::shared_ptr<DataFile> &file) {
  file->drop();
  dropped_.push_back(file);
}

std::shared_ptr<DataFile> FileGroup::createBuildingFile(uint32_t number, const std::string &name) {
  return DataFile::createBuilding(state_.files, number, name);
}

void FileGroup::adoptFile(const std::shared_ptr<DataFile> &file) {
  state_.files.changed.push_back(file);
  adopted_.push_back(file);
}

// MARK: State

uint64_t FileGroup::outcome(const uint8_t batchID[16]) const {
  throwIfPoisoned();
  return state_.ring.find(batchID);
}

void FileGroup::releaseMemory() {
  for (const std::shared_ptr<DataFile> &file : state_.files.open.all()) {
    ReadLock lock(*this);
    file->releaseAll();
  }
}

int64_t FileGroup::room() {
  if (state_.settings.isVolatile) return INT64_MAX;
  ReadLock lock(*this);
  int64_t pending = 0;
  for (const std::shared_ptr<DataFile> &file : state_.files.open.all()) pending += file->growthBeyondMain();
  return DiskRoom::usable(state_.disk.room() - pending - state_.room.forCopies(state_.counters.privatePages * kPageSize));
}

bool FileGroup::makeRoom() {
  if (state_.settings.isVolatile || state_.settings.readOnly) return false;
  const uint64_t before = state_.counters.checkpoints;
  try {
    checkpointer_.checkpointOnFullDisk();
  } catch (const Failure &failure) {
    if (failure.code != TDN_NO_SPACE) throw;
  }
  return state_.counters.checkpoints != before;
}

void FileGroup::close() {
  checkpointer_.stopBackground();
  endBackups();
  if (state_.settings.isVolatile || state_.settings.readOnly) {
    MutexLock commitLock(state_.commitMutex);
    state_.isClosed = true;
    return;
  }
  throwIfPoisoned();
  checkpointer_.close();
}

tdn_statistics FileGroup::statistics() {
  const GroupCounters &counters = state_.counters;
  tdn_statistics result{};
  result.commits = counters.commits;
  result.log_bytes = counters.logBytes;
  result.direct_bytes = counters.directBytes;
  result.flushes = state_.flush.flushCount();
  result.checkpoints = counters.checkpoints;
  result.checkpoint_bytes = counters.checkpointBytes;
  result.private_bytes = static_cast<uint64_t>(counters.privatePages.load()) * kPageSize;
  result.live_log_bytes = counters.liveLogBytes;
  result.open_files = static_cast<uint32_t>(state_.files.open.count());
  return result;
}

}  // namespace todana
