#include "DirectWrites.h"

#include <exception>

#include "Checkpoint.h"
#include "DataFile.h"

namespace todana {

namespace {

// The number of files of one commit that stay open until they are flushed.
constexpr size_t kMostOpen = 64;

}  // namespace

bool DirectWrites::isLarge(const std::vector<std::shared_ptr<DataFile>> &changed) const {
  int64_t newBytes = 0;
  for (const std::shared_ptr<DataFile> &file : changed) {
    if (file->isWrittenThrough()) return true;
    newBytes += file->newByteCount();
  }
  return newBytes >= state_.settings.directThreshold;
}

bool DirectWrites::isWanted(const DataFile &file) const {
  if (file.isWrittenThrough()) return true;
  const int64_t newBytes = file.newByteCount();
  return newBytes > 0 && newBytes >= state_.settings.directThreshold / 4 && !file.isCutPending();
}

void DirectWrites::write(DataFile &file, LogWriter &log) {
  const int64_t start = pageCeiling(file.committedSize());
  const std::vector<uint64_t> sums = file.newPageSums();
  log.addDirect(static_cast<uint32_t>(start / kPageSize), sums.data(), sums.size());
  // An existing main file may not have a durable name yet. A running checkpoint may have created it, and may flush the
  // name only after this commit. A mapped main file has a durable name.
  hasNewNames_ |= file.mayLackName();
  writes_.push_back({&file, state_.disk.open(file.name(), Disk::Mode::create)});
  file.writeNewPages(*writes_.back().main);
  state_.counters.directBytes += file.size() - start;
  if (writes_.size() > kMostOpen) writes_.back().main.reset();
}

void DirectWrites::flushNames() {
  if (hasNewNames_) state_.disk.flushDirectory();
  hasNewNames_ = false;
}

void DirectWrites::finish(LogWriter &log) {
  try {
    flushAll();
    log.finish();
  } catch (const std::exception &failure) {
    writes_.clear();
    state_.fail(failure.what());
  }
  ReaderWriterLock::Exclusive readersOut(state_.stateLock);
  for (const Write &write : writes_) {
    try {
      write.file->mapMain(pageCeiling(write.file->size()), 0);
    } catch (const std::exception &) {
      // The commit counts; its pages merely stay in memory.
    }
  }
  writes_.clear();
}

void DirectWrites::flushAll() {
  const bool isMany = writes_.size() > kMostOpen;
  for (Write &write : writes_) {
    if (!write.main) write.main = state_.disk.open(write.file->name(), Disk::Mode::write);
    write.main->flush();
    if (isMany) write.main.reset();
  }
}

bool DirectWrites::undo() {
  bool isCut = true;
  for (const Write &write : writes_) {
    try {
      std::unique_ptr<DiskFile> main = state_.disk.open(write.file->name(), Disk::Mode::write);
      if (main) cutOff(*main, write.file->committedSize(), state_.settings.strict);
    } catch (const std::exception &) {
      isCut = false;
    }
  }
  writes_.clear();
  hasNewNames_ = false;
  return isCut;
}

}  // namespace todana
