// FileGroup's checkpoints: switching logs, carrying, letting private memory go, the background thread, closing.
#include <algorithm>
#include <chrono>

#include <sys/mman.h>

#include "../Disk/Failure.h"
#include "../Log/LogIndex.h"
#include "Checkpoint.h"
#include "FileGroup.h"
#include "PageSums.h"

namespace todana {

bool FileGroup::needsCheckpoint() const {
  if (settings_.isVolatile || closing_.generation != 0 || !log_) return false;
  return log_->tail() > settings_.logLimit || privatePages_ * kPageSize > settings_.privateLimit;
}

void FileGroup::checkpoint() { checkpoint(NextLog::reused); }

void FileGroup::checkpoint(NextLog next) {
  if (settings_.isVolatile) return;
  std::lock_guard<std::mutex> oneAtATime(checkpointMutex_);
  if (next != NextLog::none && *backupCount_ > 0) return;
  carryClosed(next);
}

bool FileGroup::renewLogs() {
  if (settings_.isVolatile) return true;
  std::lock_guard<std::mutex> oneAtATime(checkpointMutex_);
  if (*backupCount_ > 0) return false;
  bool hasClosed;
  {
    std::lock_guard<std::mutex> commitLock(commitMutex_);
    hasClosed = closing_.generation != 0;
  }
  // Commits go to a log already that was opened when carrying this one failed.
  if (hasClosed) carryClosed(NextLog::reused);
  const uint64_t carried = carryClosed(NextLog::fresh);
  if (carried == 0) return false;
  disk_.remove(logName(carried));
  disk_.flushDirectory();
  return true;
}

// Returns the generation of the log that was carried; 0 where there was nothing.
uint64_t FileGroup::carryClosed(NextLog next) {
  const ClosingLog closing = closeLog(next);
  if (closing.generation == 0) return 0;
  try {
    carry(closing.generation, closing.tail);
  } catch (...) {
    lastCheckpointFailed_ = true;
    roomMade_.notify_all();
    throw;
  }
  std::vector<std::string> dropped;
  {
    std::lock_guard<std::mutex> commitLock(commitMutex_);
    closing_ = {};
    liveLogBytes_ = log_ ? log_->tail() - kFirstFrame : 0;
    dropped = takeDropped(closing.generation);
  }
  // A large file takes the system a while.
  for (const std::string &name : dropped) removeQuietly(name);
  checkpoints_++;
  lastCheckpointFailed_ = false;
  roomMade_.notify_all();
  closeIdleFiles(true);
  return closing.generation;
}

// The log that is to be carried: an earlier one where that failed, else the one that commits go to; from now on they go to
// the other one, if there will be any. Generation 0: there is nothing to carry.
FileGroup::ClosingLog FileGroup::closeLog(NextLog nextLog) {
  uint64_t generation;
  {
    std::lock_guard<std::mutex> commitLock(commitMutex_);
    requireWritable();
    if (closing_.generation != 0) return closing_;
    if (!log_ || log_->tail() == kFirstFrame) return {};
    generation = nextGeneration_;
  }
  // While there is a log, only a checkpoint begins another, and this is the only one: nothing but commits goes on. What
  // takes long is done before they have to wait.
  flush();
  if (nextLog == NextLog::fresh) disk_.remove(logName(generation));
  std::unique_ptr<LogWriter> next = nextLog == NextLog::none ? nullptr : openLog(generation);
  std::lock_guard<std::mutex> commitLock(commitMutex_);
  requireWritable();
  switchLog(std::move(next));
  return closing_;
}

// The closed log is flushed first, even if all its commits were relaxed: nothing may reach a main file that is not in a
// durable log.
void FileGroup::switchLog(std::unique_ptr<LogWriter> next) {
  flush();
  if (!next) {
    closing_ = {log_->generation(), log_->tail()};
    log_.reset();
    return;
  }
  next->start(ring_.newest() + 1);
  nextGeneration_++;
  closing_ = {log_->generation(), log_->tail()};
  log_ = std::move(next);
  std::lock_guard<std::mutex> lock(flushMutex_);
  flushFile_ = log_->sharedFile();
}

void FileGroup::carry(uint64_t generation, int64_t tail) {
  LogIndex index;
  std::optional<LogHeader> header = LogIndex::readHeader(disk_, logName(generation));
  if (!header || header->generation != generation) {
    throw Failure(TDN_DAMAGED, "the header of the log is damaged", logName(generation));
  }
  index.add(disk_, logName(generation), *header, tail);
  index.sort();
  if (index.byteCount != tail - kFirstFrame) {
    throw Failure(TDN_DAMAGED, "the log is damaged: a commit cannot be read any more", logName(generation));
  }
  try {
    checkpointBytes_ += carryIntoMainFiles(disk_, index, false, 0);
    ring_.write(disk_, index.lastCommit);
  } catch (const Failure &failure) {
    // A flush that failed may have thrown pages away: doing it again could look as if it had worked.
    if (failure.code == TDN_IO) poison(failure.what());
    throw;
  }
  releasePrivatePages(index, static_cast<uint32_t>(generation));
}

// MARK: Memory

void FileGroup::releasePrivatePages(const LogIndex &index, uint32_t generation) {
  for (const auto &entry : index.files) {
    const LogIndex::File &logged = entry.second;
    std::shared_ptr<DataFile> file;
    {
      std::lock_guard<std::mutex> lock(filesMutex_);
      auto found = files_.find(entry.first);
      if (found == files_.end()) continue;
      file = found->second;
    }
    {
      ReaderWriterLock::Exclusive readersOut(stateLock_);
      mapCarried(*file, pageCeiling(logged.size), generation);
    }
    // In steps, so that nobody waits long.
    std::vector<uint32_t> pages;
    forEachPage(logged.pages, [&](size_t first, size_t) {
      pages.push_back(logged.pages[first].page);
      if (pages.size() < 512) return;
      releasePages(*file, pages, generation);
      pages.clear();
      // A commit that waits for the lock takes longer to wake than this thread to take it again.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    releasePages(*file, pages, generation);
  }
}

// Drops the private copies of pages that nothing has changed since their generation: the main file has their content.
void FileGroup::releasePages(DataFile &file, const std::vector<uint32_t> &pages, uint32_t generation) {
  if (pages.empty()) return;
  ReaderWriterLock::Exclusive readersOut(stateLock_);
  int64_t start = 0, end = 0;
  auto drop = [&] {
    if (end > start) ::madvise(file.base_ + start, end - start, MADV_DONTNEED);
  };
  for (uint32_t page : pages) {
    const int64_t offset = page * kPageSize;
    if (file.loggedGeneration_[page] != generation || offset >= file.mainEnd_) continue;
    file.setLogged(page, 0);
    file.forgetMended(page);
    privatePages_--;
    if (offset != end) {
      drop();
      start = offset;
    }
    end = offset + kPageSize;
  }
  drop();
}

// Lets [0, end) map the main file, which has that content by now; pages that other generations than the one carried have
// changed keep their copies. Readers must be excluded.
void FileGroup::mapCarried(DataFile &file, int64_t end, uint32_t carried) {
  if (file.cutGeneration_ > carried) {
    end = std::min(end, file.cutEnd_);
  } else {
    file.cutGeneration_ = 0;
  }
  if (end <= file.mainEnd_) return;
  struct Kept {
    int64_t offset;
    std::vector<char> content;
  };
  std::vector<Kept> kept;
  for (int64_t offset = file.mainEnd_; offset < end; offset += kPageSize) {
    const uint32_t logged = file.loggedGeneration_[offset / kPageSize];
    if ((logged == 0 || logged == carried) && file.dirtyBlocks_[offset / kPageSize] == 0) continue;
    kept.push_back({offset, std::vector<char>(file.base_ + offset, file.base_ + offset + kPageSize)});
  }
  std::unique_ptr<DiskFile> main = openMain(file.name_);
  if (!main) return;  // dropped meanwhile
  file.mapMain(*main, end);
  for (const Kept &page : kept) std::memcpy(file.base_ + page.offset, page.content.data(), kPageSize);
}

// The files that no log needs any more.
std::vector<std::string> FileGroup::takeDropped(uint64_t generation) {
  std::vector<std::string> names;
  auto isDone = [=](const Dropped &dropped) { return dropped.generation <= generation; };
  for (const Dropped &dropped : dropped_) {
    if (!isDone(dropped)) continue;
    names.push_back(dropped.name);
    names.push_back(PageSums::nameFor(dropped.name));
  }
  dropped_.erase(std::remove_if(dropped_.begin(), dropped_.end(), isDone), dropped_.end());
  return names;
}

void FileGroup::closeIdleFiles(bool waits) {
  if (settings_.isVolatile) return;  // there is nothing to open them from again
  std::vector<std::shared_ptr<DataFile>> idle;
  std::unique_lock<std::mutex> commitLock(commitMutex_, std::defer_lock);
  if (waits) {
    commitLock.lock();
  } else if (!commitLock.try_lock()) {
    return;
  }
  // Without a log, all that was ever committed is in the main files (or, for a reader, in the logs that it read).
  const uint64_t live = closing_.generation ? closing_.generation : (log_ ? log_->generation() : UINT64_MAX);
  std::lock_guard<std::mutex> lock(filesMutex_);
  for (auto entry = files_.begin(); entry != files_.end();) {
    const std::shared_ptr<DataFile> &file = entry->second;
    if (file.use_count() == 1 && file->lastGeneration_ < live) {
      idle.push_back(std::move(entry->second));
      entry = files_.erase(entry);
    } else {
      ++entry;
    }
  }
}

// MARK: In the background

// False where the system has no thread for it: the next commit tries again.
bool FileGroup::startBackground() {
  if (background_.joinable() || stopping_) return true;
  try {
    background_ = std::thread([this] { runBackground(); });
  } catch (const std::exception &) {
    return false;
  }
  return true;
}

void FileGroup::stopBackground() {
  {
    std::lock_guard<std::mutex> lock(backgroundMutex_);
    stopping_ = true;
  }
  backgroundWake_.notify_all();
  if (background_.joinable()) background_.join();
}

void FileGroup::runBackground() {
  using namespace std::chrono_literals;
  std::unique_lock<std::mutex> lock(backgroundMutex_);
  while (!stopping_) {
    backgroundWake_.wait(lock, [this] { return stopping_ || checkpointWanted_ || relaxedPending_; });
    if (stopping_) return;
    const bool wantsCheckpoint = checkpointWanted_;
    checkpointWanted_ = false;
    if (!wantsCheckpoint) {
      // Relaxed commits: half of the promised second goes by, so that one flush serves many.
      backgroundWake_.wait_for(lock, 500ms, [this] { return stopping_ || checkpointWanted_; });
      if (stopping_) return;
    }
    relaxedPending_ = false;
    lock.unlock();
    bool failed = false;
    try {
      if (wantsCheckpoint) {
        checkpoint();
      } else {
        flush();
      }
    } catch (const std::exception &) {
      // A failed flush has poisoned the group and every caller learns of it. A checkpoint that found no space is tried
      // again; until then the log holds everything, and an explicit checkpoint or `close` throws the reason.
      failed = true;
    }
    lock.lock();
    if (failed) {
      backgroundWake_.wait_for(lock, 1s, [this] { return stopping_; });
      checkpointWanted_ |= wantsCheckpoint && !poisoned_;
    }
  }
}

// MARK: Closing

void FileGroup::close() {
  stopBackground();
  endBackups();
  if (settings_.isVolatile || settings_.readOnly) {
    closed_ = true;
    return;
  }
  throwIfPoisoned();
  // One for the log that an earlier failure may have left closed, one for the newest.
  checkpoint(NextLog::none);
  checkpoint(NextLog::none);
  std::lock_guard<std::mutex> commitLock(commitMutex_);
  closed_ = true;
  log_.reset();
  bool removed = false;
  for (const char *name : {logName(1), logName(2)}) {
    if (!disk_.open(name, Disk::Mode::read)) continue;
    disk_.remove(name);
    removed = true;
  }
  if (removed) disk_.flushDirectory();
}

}  // namespace todana
