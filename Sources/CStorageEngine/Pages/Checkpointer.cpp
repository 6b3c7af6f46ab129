#include "Checkpointer.h"

#include <algorithm>
#include <chrono>

#include "../Disk/Failure.h"
#include "../Log/LogIndex.h"
#include "Checkpoint.h"
#include "DataFile.h"
#include "PageSums.h"

namespace todana {

bool Checkpointer::isNeeded(const LogPair &logs) const {
  if (state_.settings.isVolatile || logs.hasClosed() || !logs.current()) return false;
  return logs.tail() > state_.settings.logLimit ||
         state_.counters.privatePages * kPageSize > state_.settings.privateLimit;
}

void Checkpointer::checkpoint() {
  if (state_.settings.isVolatile) return;
  MutexLock oneAtATime(mutex_);
  if (holds_.isEmpty()) writeBackClosed(NextLog::reused);
}

void Checkpointer::checkpointOnFullDisk() {
  MutexLock oneAtATime(mutex_);
  if (!holds_.isEmpty()) return;
  // The first call is for a log that an earlier failure may have left closed.
  writeBackClosed(NextLog::none);
  writeBackClosed(NextLog::none);
}

bool Checkpointer::renewLogs() {
  if (state_.settings.isVolatile) return true;
  MutexLock oneAtATime(mutex_);
  if (!holds_.isEmpty()) return false;
  bool hasClosed;
  {
    MutexLock commitLock(state_.commitMutex);
    hasClosed = state_.logs.hasClosed();
  }
  // An earlier checkpoint has failed, and commits already go to the next log.
  if (hasClosed) writeBackClosed(NextLog::reused);
  const uint64_t generation = writeBackClosed(NextLog::fresh);
  if (generation == 0) return false;
  state_.disk.remove(logName(generation));
  state_.disk.flushDirectory();
  return true;
}

void Checkpointer::close() {
  MutexLock oneAtATime(mutex_);
  // The first call is for a log that an earlier failure may have left closed, the second one for the newest log.
  writeBackClosed(NextLog::none);
  writeBackClosed(NextLog::none);
  state_.ring.copy(state_.disk);
  MutexLock commitLock(state_.commitMutex);
  state_.isClosed = true;
  state_.logs.removeCurrent();
  bool isAnyRemoved = false;
  for (const char *name : {logName(1), logName(2)}) {
    if (!state_.disk.open(name, Disk::Mode::read)) continue;
    state_.disk.remove(name);
    isAnyRemoved = true;
  }
  if (isAnyRemoved) state_.disk.flushDirectory();
}

uint64_t Checkpointer::writeBackClosed(NextLog next) {
  const LogPair::Closed closed = closeLog(next);
  if (closed.generation == 0) return 0;
  try {
    writeBack(closed);
  } catch (...) {
    state_.lastCheckpointFailed = true;
    state_.roomMade.notifyAll();
    throw;
  }
  std::vector<std::string> dropped;
  {
    MutexLock commitLock(state_.commitMutex);
    dropped = state_.logs.forgetClosed();
    state_.counters.liveLogBytes = state_.logs.byteCount();
  }
  if (state_.room.isSmall()) {
    // The log would keep its space for the commits after the next checkpoint.
    state_.files.removeQuietly(logName(closed.generation));
  }
  // Removing a large file takes the system some time.
  for (const std::string &name : dropped) {
    state_.files.removeQuietly(name);
    state_.files.removeQuietly(PageSums::nameFor(name));
  }
  state_.counters.checkpoints++;
  state_.lastCheckpointFailed = false;
  state_.roomMade.notifyAll();
  MutexLock commitLock(state_.commitMutex);
  state_.closeIdleFiles();
  return closed.generation;
}

// Returns the log to write back. If an earlier checkpoint closed a log and failed to write it back, this is that log.
// Otherwise closes the current log, and makes another one current. Returns generation 0 if there is nothing to write
// back.
LogPair::Closed Checkpointer::closeLog(NextLog nextLog) {
  uint64_t generation;
  {
    MutexLock commitLock(state_.commitMutex);
    state_.requireWritable();
    if (state_.logs.hasClosed()) return state_.logs.closed();
    if (!state_.logs.hasCommits()) return {};
    generation = state_.logs.nextGeneration();
  }
  // Only commits run concurrently: no other checkpoint can begin the next log. Do all slow work before the commits must
  // wait.
  state_.flush.flush();
  if (nextLog == NextLog::fresh) state_.disk.remove(logName(generation));
  std::unique_ptr<LogWriter> next =
    nextLog == NextLog::none ? nullptr : LogPair::open(state_.disk, state_.settings, generation);
  MutexLock commitLock(state_.commitMutex);
  state_.requireWritable();
  // Flush even if all commits of the log were relaxed: only content of a durable log may reach a main file.
  state_.flush.flush();
  if (!next) {
    // All commits are flushed. An open file would keep its space after it was removed.
    state_.flush.setFile(nullptr);
    state_.logs.close();
    return state_.logs.closed();
  }
  next->start(state_.ring.newest() + 1);
  state_.logs.close();
  state_.logs.setCurrent(std::move(next));
  state_.flush.setFile(state_.logs.current()->sharedFile());
  return state_.logs.closed();
}

void Checkpointer::writeBack(const LogPair::Closed &closed) {
  const char *name = logName(closed.generation);
  LogIndex index;
  if (!state_.disk.open(name, Disk::Mode::read)) throw Failure(TDN_NOT_FOUND, kDeletedFiles, name);
  std::optional<LogHeader> header = LogIndex::readHeader(state_.disk, name);
  if (!header || header->generation != closed.generation) {
    throw Failure(TDN_DAMAGED, "the header of the log is damaged", name);
  }
  index.add(state_.disk, name, *header, closed.tail);
  index.sort();
  if (index.byteCount != closed.tail - kFirstFrame) {
    throw Failure(TDN_DAMAGED, "the log is damaged: a commit cannot be read any more", name);
  }
  state_.mainFileChanges.increment();
  try {
    state_.counters.checkpointBytes += writeBackToMainFiles(state_.disk, index, false, 0);
    state_.ring.write(state_.disk, index.lastCommit);
  } catch (const Failure &failure) {
    // A failed flush may have lost pages, and another flush could then appear to succeed.
    if (failure.code == TDN_IO) state_.fail(failure.what());
    throw;
  }
  releasePages(index, closed.generation);
}

// MARK: Memory

void Checkpointer::releasePages(const LogIndex &index, uint64_t generation) {
  for (const auto &[number, logged] : index.files) {
    const std::shared_ptr<DataFile> file = state_.files.open.find(number);
    if (!file) continue;
    {
      ReaderWriterLock::Exclusive readersOut(state_.stateLock);
      file->mapMain(pageCeiling(logged.size), generation);
    }
    // Proceed in steps, so that other threads do not wait long.
    std::vector<uint32_t> pages;
    forEachPage(logged.pages, [&, &logged = logged](size_t first, size_t) {
      pages.push_back(logged.pages[first].page);
      if (pages.size() < 512) return;
      releasePages(*file, pages, generation);
      pages.clear();
      // Pause: a waiting commit takes longer to wake than this thread takes to lock again.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    releasePages(*file, pages, generation);
  }
}

void Checkpointer::releasePages(DataFile &file, const std::vector<uint32_t> &pages, uint64_t generation) {
  if (pages.empty()) return;
  ReaderWriterLock::Exclusive readersOut(state_.stateLock);
  state_.counters.privatePages -= file.releaseWrittenBack(pages, generation);
}

// MARK: In the background

bool Checkpointer::want(bool checkpoint, bool flush) {
  MutexLock lock(wakeMutex_);
  wantsCheckpoint_ |= checkpoint;
  wantsFlush_ |= flush;
  wake_.notifyOne();
  if (thread_.joinable() || isStopping_) return true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception &) {
    return false;  // the next commit tries again
  }
  return true;
}

void Checkpointer::stopBackground() {
  std::thread thread;
  {
    MutexLock lock(wakeMutex_);
    isStopping_ = true;
    thread = std::move(thread_);
  }
  wake_.notifyAll();
  if (thread.joinable()) thread.join();
}

void Checkpointer::run() {
  MutexLock lock(wakeMutex_);
  while (waitForWork()) {
    const bool wantsCheckpoint = wantsCheckpoint_, wantsFlush = wantsFlush_;
    wantsCheckpoint_ = wantsFlush_ = false;
    lock.unlock();
    bool hasFailed = false;
    try {
      if (wantsFlush) state_.flush.flush();
      if (wantsCheckpoint) checkpoint();
    } catch (const std::exception &) {
      // A failed flush has poisoned the group, which every caller notices. A checkpoint without disk space is tried
      // again. Until then the log has everything, and an explicit checkpoint or closing throws the reason.
      hasFailed = true;
    }
    lock.lock();
    if (!hasFailed) continue;
    const Condition::Time end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!isStopping_ && wake_.waitUntil(wakeMutex_, end)) {
    }
    wantsCheckpoint_ |= wantsCheckpoint && !state_.poison.isSet();
  }
}

// Waits for work. Returns false if the thread must end. Relaxed commits must be durable within a second. Half of that
// time is spent waiting for further commits, so that one flush serves many.
bool Checkpointer::waitForWork() {
  while (!isStopping_ && !wantsCheckpoint_ && !wantsFlush_) wake_.wait(wakeMutex_);
  const Condition::Time end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (!isStopping_ && !wantsCheckpoint_ && wake_.waitUntil(wakeMutex_, end)) {
  }
  return !isStopping_;
}

}  // namespace todana
