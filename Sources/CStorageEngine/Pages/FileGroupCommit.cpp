// FileGroup's commits: application, log, acceptance and rollback.
#include <algorithm>
#include <chrono>
#include <exception>

#include "../Disk/Failure.h"
#include "FileGroup.h"

namespace todana {

uint64_t FileGroup::commit(
  const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
  const std::function<void()> &undone, DiskRoom::Reserve reserve) {
  MutexLock commitLock(state_.commitMutex);
  state_.requireWritable();
  waitForRoom();
  const uint64_t number = state_.ring.newest() + 1;
  const int64_t tailBefore = state_.logs.tail();
  {
    ReaderWriterLock::Exclusive readersOut(state_.stateLock);
    applyChanges(batchID, apply, undone, reserve);
    if (state_.files.changed.empty()) {
      commitLock.unlock();
      if (durability == Durability::full) flush();
      return number - 1;
    }
    try {
      acceptChanges();
      state_.ring.add(number, batchID);
    } catch (const std::exception &failure) {
      state_.fail(failure.what());  // the log has the commit, and memory only a part of it
    }
  }
  state_.counters.commits++;
  if (state_.settings.isVolatile) return number;
  if (!directWrites_.isEmpty()) directWrites_.finish(*state_.logs.current());
  state_.counters.logBytes += state_.logs.tail() - tailBefore;
  state_.counters.liveLogBytes = state_.logs.byteCount();
  state_.flush.noteAppended(number);
  const bool wantsCheckpoint = checkpointer_.isNeeded(state_.logs);
  commitLock.unlock();

  bool flushesNow = durability == Durability::full;
  if (durability == Durability::relaxed || wantsCheckpoint) {
    // The commit counts even if the system has no thread for the request. Then the flush is done here.
    const bool isInTime = checkpointer_.want(wantsCheckpoint, durability == Durability::relaxed);
    flushesNow |= !isInTime && durability == Durability::relaxed;
  }
  if (flushesNow) state_.flush.flushTo(number);
  return number;
}

// Waits if a checkpoint lags far behind, because the log must not grow without limit. After a failed checkpoint waiting
// does not help, so the log grows.
void FileGroup::waitForRoom() {
  const GroupSettings &settings = state_.settings;
  const int64_t most = settings.limitsMemory ? 2 : 4;
  while (state_.logs.hasClosed() && state_.logs.current() && !state_.lastCheckpointFailed) {
    const bool isFull = state_.logs.tail() > most * settings.logLimit ||
                        state_.counters.privatePages * kPageSize > most * settings.privateLimit;
    if (!isFull) return;
    state_.roomMade.waitUntil(state_.commitMutex, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    throwIfPoisoned();
  }
}

// Applies the changes to memory and appends them to the log, or undoes all of them. There are none if `files.changed`
// is empty.
void FileGroup::applyChanges(
  const uint8_t batchID[16], const std::function<void()> &apply, const std::function<void()> &undone,
  DiskRoom::Reserve reserve) {
  applyingThread_ = std::this_thread::get_id();
  applyingBatch_ = batchID;
  try {
    apply();
    if (!state_.files.changed.empty()) {
      rewriteRepaired();
      checkCommitLimit();
      if (!state_.settings.isVolatile) requireRoom(reserve);
      if (!state_.settings.isVolatile) appendCommit(state_.ring.newest() + 1, batchID);
    }
  } catch (...) {
    try {
      rollBack();
      undone();
    } catch (const std::exception &failure) {
      // Memory differs from the files, so they must be read again.
      applyingThread_ = std::thread::id();
      state_.fail(failure.what());
    }
    applyingThread_ = std::thread::id();
    throw;
  }
  applyingThread_ = std::thread::id();
}

// Adds pages that were repaired when they were read to a commit that writes anyway.
void FileGroup::rewriteRepaired() {
  for (const std::shared_ptr<DataFile> &file : state_.files.open.repaired()) file->rewriteRepaired();
}

void FileGroup::checkCommitLimit() const {
  int64_t pages = 0;
  for (const std::shared_ptr<DataFile> &file : state_.files.changed) pages += file->changedPageCount();
  if (pages * kPageSize <= state_.settings.commitLimit) return;
  throw Failure(
    TDN_LIMIT, "one save changes " + std::to_string(pages * kPageSize >> 10) + " KiB of stored pages, over the limit " +
                 "of " + std::to_string(state_.settings.commitLimit >> 10) + " KiB: save in smaller steps");
}

// Refuses a commit after which the disk would have no room to write all pages of the log back, or less than the reserve.
// One that lets no file grow needs no more than one that removes records.
void FileGroup::requireRoom(DiskRoom::Reserve reserve) {
  const bool isDirect = directWrites_.isLarge(state_.files.changed);
  int64_t growth = 0, logged = 0, pages = state_.counters.privatePages;
  for (const std::shared_ptr<DataFile> &file : state_.files.changed) {
    growth += file->newByteCount();
    logged += file->changedByteCount();
    pages += file->changedPageCount();
  }
  if (!isDirect) logged += growth;
  if (!state_.room.mayBeShort(logged + growth)) return;
  const std::vector<std::shared_ptr<DataFile>> files = state_.files.open.all();
  int64_t pending = 0;
  for (const std::shared_ptr<DataFile> &file : files) pending += file->growthBeyondMain();
  for (const std::shared_ptr<DataFile> &file : adopted_) pending += file->growthBeyondMain();
  if (growth == 0 && reserve == DiskRoom::Reserve::all) reserve = DiskRoom::Reserve::forCompaction;
  state_.room.require(logged, pending, pages * kPageSize, state_.room.size(reserve, files));
}

// MARK: The log

void FileGroup::startLog() {
  if (state_.logs.current()) return;
  std::unique_ptr<LogWriter> log = LogPair::open(state_.disk, state_.settings, state_.logs.nextGeneration());
  log->start(state_.ring.newest() + 1);
  state_.flush.setFile(log->sharedFile());
  state_.logs.setCurrent(std::move(log));
}

void FileGroup::appendCommit(uint64_t number, const uint8_t batchID[16]) {
  startLog();
  LogWriter &log = *state_.logs.current();
  const bool isLarge = directWrites_.isLarge(state_.files.changed);
  log.begin(number, state_.flush.flushed());
  log.addBatch(batchID);
  for (const std::shared_ptr<DataFile> &file : state_.files.changed) {
    const bool isDirect = isLarge && directWrites_.isWanted(*file);
    file->appendTo(log, isDirect, state_.settings.strict);
    if (isDirect) directWrites_.write(*file, log);
  }
  if (directWrites_.isEmpty()) {
    log.finish();
  } else {
    directWrites_.flushNames();
    log.writePending();
  }
}

// MARK: The end of a commit

// Makes the changes the committed state. From here on only a failed flush can stop the commit.
void FileGroup::acceptChanges() {
  for (const std::shared_ptr<DataFile> &file : adopted_) file->adopt();
  const uint64_t generation = state_.logs.current() ? state_.logs.current()->generation() : 0;
  for (const std::shared_ptr<DataFile> &file : state_.files.changed) {
    state_.counters.privatePages += file->accept(generation);
  }
  for (const std::shared_ptr<DataFile> &file : dropped_) {
    state_.logs.addDropped(file->name());
    state_.files.open.remove(file->number());
  }
  for (const std::shared_ptr<DataFile> &file : adopted_) {
    file->finishAdopting();
    state_.files.open.add(file);
  }
  state_.files.changed.clear();
  dropped_.clear();
  adopted_.clear();
}

void FileGroup::rollBack() {
  for (const std::shared_ptr<DataFile> &file : dropped_) file->undoDrop();
  dropped_.clear();
  adopted_.clear();
  const bool isCut = directWrites_.undo();
  for (const std::shared_ptr<DataFile> &file : state_.files.changed) {
    file->rollBack();
    if (!file->isDropped()) continue;
    // The commit had created the file.
    state_.files.removeQuietly(file->name());
    state_.files.open.remove(file->number());
  }
  state_.files.changed.clear();
  if (!isCut) state_.fail("cannot truncate a file");
}

}  // namespace todana
