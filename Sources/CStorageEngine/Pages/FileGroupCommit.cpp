// FileGroup's commits: applying, the log, large commits, rollback.
#include <algorithm>
#include <chrono>
#include <exception>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "Checkpoint.h"
#include "FileGroup.h"
#include "PageSums.h"

namespace todana {

namespace {

// Files of one commit that are written directly and kept open until they are flushed.
constexpr size_t kMostOpen = 64;

}  // namespace

uint64_t FileGroup::commit(
  const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
  const std::function<void()> &undone) {
  std::unique_lock<std::mutex> commitLock(commitMutex_);
  requireWritable();
  waitForRoom(commitLock);
  const uint64_t number = ring_.newest() + 1;
  const int64_t tailBefore = log_ ? log_->tail() : kFirstFrame;
  {
    ReaderWriterLock::Exclusive readersOut(stateLock_);
    try {
      applyingThread_ = std::this_thread::get_id();
      applyingBatch_ = batchID;
      apply();
      if (!changed_.empty()) {
        rewriteMended();
        checkCommitLimit();
        if (!settings_.isVolatile) writeCommit(number, batchID);
      }
    } catch (...) {
      try {
        rollBack();
        undone();
      } catch (const std::exception &failure) {
        // Memory is not what the files are: they have to be read anew.
        applyingThread_ = std::thread::id();
        poison(failure.what());
      }
      applyingThread_ = std::thread::id();
      throw;
    }
    applyingThread_ = std::thread::id();
    if (changed_.empty()) {
      commitLock.unlock();
      if (durability == Durability::full) flush();
      return number - 1;
    }
    try {
      acceptChanges();
      ring_.add(number, batchID);
    } catch (const std::exception &failure) {
      poison(failure.what());  // the log has the commit, and memory half of it
    }
  }
  commits_++;
  if (settings_.isVolatile) return number;
  if (!direct_.empty()) finishDirect();
  logBytes_ += log_->tail() - tailBefore;
  liveLogBytes_ = log_->tail() - kFirstFrame + (closing_.generation ? closing_.tail - kFirstFrame : 0);
  {
    std::lock_guard<std::mutex> lock(flushMutex_);
    appended_ = number;
  }
  const bool wantsCheckpoint = needsCheckpoint();
  commitLock.unlock();

  bool flushesNow = durability == Durability::full;
  if (durability == Durability::relaxed || wantsCheckpoint) {
    std::lock_guard<std::mutex> lock(backgroundMutex_);
    relaxedPending_ |= durability == Durability::relaxed;
    checkpointWanted_ |= wantsCheckpoint;
    // The commit counts, with that thread or without: it is flushed here where nobody else would do it in time.
    flushesNow |= !startBackground() && durability == Durability::relaxed;
    backgroundWake_.notify_one();
  }
  if (flushesNow) flushTo(number);
  return number;
}

void FileGroup::requireWritable() const {
  throwIfPoisoned();
  if (closed_) throw Failure(TDN_CLOSED, "the store is closed");
  if (settings_.readOnly) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
}

// While a checkpoint lags far behind, writers wait for it rather than let the log grow without bound.
void FileGroup::waitForRoom(std::unique_lock<std::mutex> &commitLock) {
  // After one that failed there is no room to be made now: the log takes it.
  const int64_t most = settings_.sparesMemory ? 2 : 4;
  const auto isFull = [&] {
    return log_->tail() > most * settings_.logLimit || privatePages_ * kPageSize > most * settings_.privateLimit;
  };
  while (closing_.generation != 0 && log_ && isFull() && !lastCheckpointFailed_) {
    roomMade_.wait_for(commitLock, std::chrono::milliseconds(100));
    throwIfPoisoned();
  }
}

void FileGroup::checkCommitLimit() const {
  int64_t pages = 0;
  for (const std::shared_ptr<DataFile> &file : changed_) {
    if (file->state_ == DataFile::State::building || file->state_ == DataFile::State::dropped) continue;
    const uint32_t firstNewPage = static_cast<uint32_t>(pageCeiling(file->committedSize_) / kPageSize);
    pages += std::count_if(file->dirtyPages_.begin(), file->dirtyPages_.end(), [=](uint32_t page) {
      return page < firstNewPage;
    });
  }
  if (pages * kPageSize > settings_.commitLimit) {
    throw Failure(
      TDN_LIMIT, "one save changes " + std::to_string(pages * kPageSize >> 10) + " KiB of stored pages, over the limit " +
                   "of " + std::to_string(settings_.commitLimit >> 10) + " KiB: save in smaller steps");
  }
}

void FileGroup::startLog() {
  if (log_) return;
  std::unique_ptr<LogWriter> log = openLog(nextGeneration_);
  log->start(ring_.newest() + 1);
  nextGeneration_++;
  log_ = std::move(log);
  std::lock_guard<std::mutex> lock(flushMutex_);
  flushFile_ = log_->sharedFile();
}

// A log's name must be durable before a commit in it counts; if that fails, there is no such log yet.
std::unique_ptr<LogWriter> FileGroup::openLog(uint64_t generation) {
  auto log = std::make_unique<LogWriter>(
    disk_, generation, settings_.strict ? kPageSize : settings_.sectorSize, settings_.strict);
  disk_.flushDirectory();
  return log;
}

// MARK: Writing the commit

bool FileGroup::isLargeCommit() const {
  int64_t newBytes = 0;
  for (const std::shared_ptr<DataFile> &file : changed_) {
    if (file->state_ == DataFile::State::building || file->state_ == DataFile::State::dropped) continue;
    newBytes += pageCeiling(file->size()) - pageCeiling(file->committedSize_);
  }
  return newBytes >= settings_.directThreshold;
}

// Not worth a file's own flush below a quarter of the threshold. Until a cut is checkpointed, recovery may need the bytes
// behind the file's end, if a power failure takes the commit that cut it.
bool FileGroup::writesDirectly(const DataFile &file) const {
  if (file.cutGeneration_ != 0) return false;
  const int64_t newBytes = pageCeiling(file.size()) - pageCeiling(file.committedSize_);
  return newBytes > 0 && newBytes >= settings_.directThreshold / 4;
}

void FileGroup::writeCommit(uint64_t number, const uint8_t batchID[16]) {
  startLog();
  const bool isLarge = isLargeCommit();
  log_->begin(number, flushed_);
  log_->addBatch(batchID);
  bool hasNewNames = false;
  for (const std::shared_ptr<DataFile> &file : changed_) {
    const bool isBuilt = file->state_ == DataFile::State::building;
    const bool isDropped = file->state_ == DataFile::State::dropped;
    const int64_t baseSize = isBuilt ? 0 : file->committedSize_;
    const bool isCut = !isDropped && file->isCut();
    const uint8_t flags = (baseSize == 0 ? kFileIsNew : 0) | (isDropped ? kFileIsDropped : 0) | (isCut ? kFileIsCut : 0);
    log_->addFile(file->number_, flags, file->name_, baseSize, isDropped ? std::max(baseSize, file->size()) : file->size());
    if (isDropped) continue;
    if (isBuilt) log_->addDirect(0, file->sealedSums_.data(), file->sealedSums_.size());
    const int64_t firstNewPage = pageCeiling(file->committedSize_) / kPageSize;
    const int64_t endPage = pageCeiling(file->size()) / kPageSize;
    const bool isDirect = isLarge && !isBuilt && writesDirectly(*file);
    file->isDirect_ = isDirect;
    std::sort(file->dirtyPages_.begin(), file->dirtyPages_.end());
    writePages(*file, isDirect ? firstNewPage : endPage);
    if (isDirect) {
      hasNewNames |= writeDirectly(*file, firstNewPage);
    }
  }
  if (direct_.empty()) {
    log_->finish();
  } else {
    if (hasNewNames) disk_.flushDirectory();
    log_->writePending();
  }
}

void FileGroup::writePages(DataFile &file, int64_t endPage) {
  const uint32_t generation = static_cast<uint32_t>(log_->generation());
  for (uint32_t page : file.dirtyPages_) {
    if (page >= endPage) break;
    const char *content = file.base_ + page * kPageSize;
    uint64_t mask = file.dirtyBlocks_[page];
    // A torn page can then be mended from the log alone.
    if (settings_.strict && file.loggedGeneration_[page] != generation) mask = ~0ULL;
    log_->addPage(page, mask, pageChecksum(content, file.number_, page), content);
  }
}

// No state that recovery can return, and no frame of a live log, lies at or after the committed size, rounded up to a
// page: so the new pages go straight to the main file. They count when the commit's last frame does. Returns whether
// the main file's name may not be durable yet.
bool FileGroup::writeDirectly(DataFile &file, int64_t firstPage) {
  const int64_t endPage = pageCeiling(file.size()) / kPageSize;
  std::vector<uint64_t> sums(endPage - firstPage);
  for (int64_t page = firstPage; page < endPage; page++) {
    sums[page - firstPage] = pageChecksum(file.base_ + page * kPageSize, file.number_, page);
  }
  log_->addDirect(static_cast<uint32_t>(firstPage), sums.data(), sums.size());
  // That there is a main file says nothing: a running checkpoint may have made it a moment ago, and flush its name only
  // after this commit is acknowledged. A main file that is mapped has a durable name.
  const bool mayLackName = file.mainEnd_ == 0;
  direct_.push_back({&file, disk_.open(file.name_, Disk::Mode::create)});
  const int64_t start = firstPage * kPageSize;
  direct_.back().main->write(start, file.base_ + start, file.size() - start);
  directBytes_ += file.size() - start;
  if (direct_.size() > kMostOpen) direct_.back().main.reset();
  return mayLackName;
}

// What was mended when it was read is mended on the disk, too, when something is written anyway.
void FileGroup::rewriteMended() {
  std::vector<std::shared_ptr<DataFile>> files;
  {
    std::lock_guard<std::mutex> lock(filesMutex_);
    for (const auto &[number, file] : files_) {
      if (file->hasMended_) files.push_back(file);
    }
  }
  for (const std::shared_ptr<DataFile> &file : files) file->rewriteMended();
}

// Runs with readers excluded, when nothing but a failed flush can stop the commit any more.
void FileGroup::acceptChanges() {
  // First of all, as the log has them: whoever built one and lets go of it must not remove it any more.
  for (const std::shared_ptr<DataFile> &file : adopted_) file->state_ = DataFile::State::normal;
  const uint64_t generation = log_ ? log_->generation() : 0;
  for (const std::shared_ptr<DataFile> &file : changed_) {
    file->lastGeneration_ = generation;
    if (file->state_ == DataFile::State::dropped) continue;
    const int64_t endLogged = pageCeiling(file->isDirect_ ? file->committedSize_ : file->size()) / kPageSize;
    for (uint32_t page : file->dirtyPages_) {
      if (page >= endLogged || generation == 0) continue;
      if (file->loggedGeneration_[page] == 0) privatePages_++;
      file->setLogged(page, static_cast<uint32_t>(generation));
    }
    if (file->isCut()) privatePages_ -= file->acceptCut(generation);
    file->forgetChanges();
    file->isDirect_ = false;
    if (file->state_ == DataFile::State::fresh) file->state_ = DataFile::State::normal;
  }
  for (const std::shared_ptr<DataFile> &file : dropping_) {
    privatePages_ -= file->forgetLogged(0);
    dropped_.push_back({file->name_, generation});
    std::lock_guard<std::mutex> lock(filesMutex_);
    files_.erase(file->number_);
  }
  for (const std::shared_ptr<DataFile> &file : adopted_) {
    file->committedSize_ = file->size();
    file->sealedSums_ = {};
    if (settings_.isVolatile) {
      for (int64_t page = 0; page < pageCeiling(file->size()) / kPageSize; page++) file->setVerified(page);
    }
    std::lock_guard<std::mutex> lock(filesMutex_);
    files_[file->number_] = file;
    buildingNames_.erase(file->name_);
  }
  changed_.clear();
  dropping_.clear();
  adopted_.clear();
}

// After readers were let in: the pages written directly become durable, then the last frame says that they count.
void FileGroup::finishDirect() {
  try {
    for (Direct &direct : direct_) {
      if (!direct.main) direct.main = disk_.open(direct.file->name_, Disk::Mode::write);
      direct.main->flush();
      if (direct_.size() > kMostOpen) direct.main.reset();
    }
    log_->finish();
  } catch (const std::exception &failure) {
    direct_.clear();
    poison(failure.what());
  }
  // Their memory can go: the main file has the same content.
  ReaderWriterLock::Exclusive readersOut(stateLock_);
  for (const Direct &direct : direct_) {
    DataFile &file = *direct.file;
    try {
      mapCarried(file, pageCeiling(file.size()), 0);
    } catch (const std::exception &) {
      // The commit counts; the pages merely stay in memory.
    }
  }
  direct_.clear();
}

// MARK: Rollback

void FileGroup::rollBack() {
  for (const std::shared_ptr<DataFile> &file : dropping_) {
    file->state_ = file->wasFresh_ ? DataFile::State::fresh : DataFile::State::normal;
  }
  dropping_.clear();
  adopted_.clear();
  bool cutFailed = false;
  for (const Direct &direct : direct_) {
    try {
      std::unique_ptr<DiskFile> main = disk_.open(direct.file->name_, Disk::Mode::write);
      if (main) cutOff(*main, direct.file->committedSize_, settings_.strict);
    } catch (const std::exception &) {
      cutFailed = true;
    }
  }
  direct_.clear();
  for (const std::shared_ptr<DataFile> &file : changed_) {
    if (file->state_ == DataFile::State::building) continue;
    file->rollBack();
    file->isDirect_ = false;
    if (file->state_ == DataFile::State::fresh) {
      file->state_ = DataFile::State::dropped;
      if (!settings_.isVolatile) removeQuietly(file->name_);
      std::lock_guard<std::mutex> lock(filesMutex_);
      files_.erase(file->number_);
    }
  }
  changed_.clear();
  // Bytes after the end would come back as content when the file grows.
  if (cutFailed) poison("cannot cut a file back");
}

}  // namespace todana
