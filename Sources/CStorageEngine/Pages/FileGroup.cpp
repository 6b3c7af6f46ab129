#include "FileGroup.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"
#include "../Log/LogIndex.h"
#include "Checkpoint.h"
#include "PageSums.h"

namespace todana {

FileGroup::FileGroup(Disk &disk, const Settings &settings)
    : disk_(disk), settings_(settings),
      mappedMemory_(settings.sparesMemory ? std::make_unique<MappedMemory>() : nullptr) {}

FileGroup::~FileGroup() {
  stopBackground();
  endBackups();
}

std::unique_ptr<FileGroup> FileGroup::open(Disk &disk, const Settings &settings, Report &report) {
  std::unique_ptr<FileGroup> group(new FileGroup(disk, settings));
  if (!settings.isVolatile) group->recover(report);
  group->appended_ = group->ring_.newest();
  group->flushed_ = group->appended_;
  return group;
}

// MARK: Recovery

void FileGroup::recover(Report &report) {
  const auto start = std::chrono::steady_clock::now();
  const CommitRing::Outcome ring = ring_.load(disk_, settings_.mendsBits);
  struct Log {
    const char *name;
    LogHeader header;
  };
  std::vector<Log> logs;
  for (const char *name : {logName(1), logName(2)}) {
    if (std::optional<LogHeader> header = LogIndex::readHeader(disk_, name)) logs.push_back({name, *header});
  }
  std::sort(logs.begin(), logs.end(), [](const Log &left, const Log &right) {
    return left.header.generation < right.header.generation;
  });
  const uint64_t carried = ring_.newest();
  report.commitNumber = carried;
  const bool hasFirstCommit = !logs.empty() && logs.front().header.firstCommit == 1;
  if (!hasFirstCommit) requireRing(ring);
  if (logs.empty()) return;
  nextGeneration_ = logs.back().header.generation + 1;
  if (!settings_.readOnly) {
    // After a kill, what is read here may stand in the system's memory only: neither may main files be changed by
    // commits that a loss of power could still take away, nor a log be used anew that the list of last commits on disk
    // does not cover.
    CommitRing::flush(disk_);
    for (const Log &log : logs) disk_.open(log.name, Disk::Mode::write)->flush();
  }
  // An older log that was carried wholly, or does not lead up to the newer one, is done with.
  if (logs.size() == 2 && (logs[1].header.firstCommit <= carried + 1 ||
                           logs[0].header.generation + 1 != logs[1].header.generation)) {
    logs.erase(logs.begin());
  }

  auto index = std::make_unique<LogIndex>();
  for (const Log &log : logs) {
    // Commits between the main files and this log must stand in the log before it.
    const uint64_t reached = std::max(carried, index->lastCommit);
    if (log.header.firstCommit > reached + 1) {
      throw Failure(TDN_DAMAGED, "the log is damaged: commits before it are missing", log.name);
    }
    index->add(disk_, log.name, log.header, INT64_MAX);
  }
  if (index->lastCommit == 0) requireRing(ring);
  if (index->lastCommit <= carried) return;
  index->sort();
  for (size_t position = 0; position < index->batchIDs.size(); position++) {
    ring_.add(index->firstCommit + position, index->batchIDs[position].data());
  }
  report.commitNumber = ring_.newest();
  report.recoveredCommits = ring_.newest() - carried;
  if (settings_.readOnly) {
    overlay_ = std::move(index);
  } else {
    checkpointBytes_ += carryIntoMainFiles(
      disk_, *index, true, settings_.strict ? settings_.sectorSize : 0);
    ring_.write(disk_, ring_.newest());
  }
  report.recoverySeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Call where no log has the first commit. Without the list of last commits, the store would then be taken for a new one,
// and the next commit would remove its files. Throws Failure(TDN_DAMAGED) if a commit was ever carried into main files:
// the list is written, and the first checksums are, while a flushed log still has the first commit.
void FileGroup::requireRing(CommitRing::Outcome ring) const {
  switch (ring) {
    case CommitRing::Outcome::found: return;
    case CommitRing::Outcome::damaged:
      throw Failure(
        TDN_DAMAGED,
        "the list of the last commits is damaged: restore the store from a backup, or salvage what can be read",
        CommitRing::kFileName);
    case CommitRing::Outcome::missing: break;
  }
  const bool wasCarried = std::any_of(settings_.firstFiles.begin(), settings_.firstFiles.end(), [&](const auto &name) {
    return disk_.open(PageSums::nameFor(name), Disk::Mode::read) != nullptr;
  });
  if (!wasCarried) return;
  throw Failure(
    TDN_DAMAGED,
    "the list of the last commits is missing: restore the store from a backup, or salvage what can be read",
    CommitRing::kFileName);
}

void FileGroup::keepOnly(const std::vector<uint32_t> &numbers) {
  if (settings_.isVolatile || settings_.readOnly) return;
  for (const std::string &name : disk_.list()) {
    const std::optional<uint32_t> number = fileNumberIn(name);
    if (number && !std::binary_search(numbers.begin(), numbers.end(), *number)) disk_.remove(name);
  }
}

// MARK: Files

std::shared_ptr<DataFile> FileGroup::openFile(uint32_t number, const std::string &name) {
  std::lock_guard<std::mutex> lock(filesMutex_);
  auto found = files_.find(number);
  if (found != files_.end()) return found->second;
  if (settings_.isVolatile) throw Failure(TDN_DAMAGED, "the file is missing", name);

  std::shared_ptr<DataFile> file(new DataFile(*this, number, name));
  const LogIndex::File *logged = nullptr;
  if (overlay_) {
    auto entry = overlay_->files.find(number);
    if (entry != overlay_->files.end()) logged = &entry->second;
  }
  std::unique_ptr<DiskFile> main = disk_.open(name, settings_.readOnly ? Disk::Mode::read : Disk::Mode::write);
  int64_t mainSize = 0;
  if (main) mainSize = main->size();
  if (!logged || logged->baseSize > 0 || logged->isDropped) {
    if (!main || (logged && logged->isDropped)) throw Failure(TDN_DAMAGED, "the file is missing", name);
    // Strict, and read-only: a checkpoint that was cut short may have torn these checksums, and cannot be redone here.
    if (!logged || !settings_.strict) file->sums_ = PageSums::open(disk_, name, number, settings_.mendsBits);
  }
  const int64_t inMain = logged ? logged->baseSize : file->sums_->committedSize();
  if (mainSize < inMain) {
    throw Failure(
      TDN_DAMAGED,
      "the file is cut short: " + std::to_string(mainSize) + " of " + std::to_string(inMain) + " bytes are left", name);
  }
  // An unfinished large commit may have left bytes after the end.
  if (mainSize > inMain && !settings_.readOnly) cutOff(*main, inMain, settings_.strict);
  const int64_t size = logged ? std::max(inMain, logged->size) : inMain;
  // Pages of a large commit that only the log vouches for are in the main file, too.
  const int64_t mapped = logged && !logged->direct.empty() ? std::min(size, mainSize) : inMain;
  file->map(main && mapped > 0 ? main.get() : nullptr, mapped);
  if (mainSize > mapped && mapped % kPageSize != 0) {
    std::memset(file->base_ + mapped, 0, pageCeiling(mapped) - mapped);
    if (settings_.readOnly) file->keepInMemory(mapped / kPageSize);
  }
  if (logged) {
    file->reserve(size);
    file->size_ = size;
    file->committedSize_ = size;
    const int64_t firstNewPage = pageCeiling(inMain) / kPageSize;
    forEachPage(logged->pages, [&](size_t first, size_t last) {
      const int64_t page = logged->pages[first].page;
      char *content = file->base_ + page * kPageSize;
      if (page >= firstNewPage && !logged->isDirect(static_cast<uint32_t>(page))) std::memset(content, 0, kPageSize);
      for (size_t change = first; change < last; change++) applyBlocks(logged->pages[change], content);
      file->setVerified(page);
      file->keepInMemory(page);
    });
    for (const LogIndex::DirectRange &range : logged->direct) {
      for (uint32_t page = 0; page < range.count; page++) file->setVerified(range.firstPage + page);
    }
  }
  files_[number] = file;
  return file;
}

// Commits that a power failure took away may have left files. What one of them holds must not come back as content where
// a new one of that name is shorter.
void FileGroup::removeLeftover(const std::string &name) {
  if (!settings_.isVolatile) disk_.remove(name);
}

std::shared_ptr<DataFile> FileGroup::createFile(uint32_t number, const std::string &name) {
  removeLeftover(name);
  std::shared_ptr<DataFile> file(new DataFile(*this, number, name));
  file->state_ = DataFile::State::fresh;
  file->map(nullptr, 0);
  std::lock_guard<std::mutex> lock(filesMutex_);
  files_[number] = file;
  noteChanged(file.get());
  return file;
}

void FileGroup::releaseMemory() {
  std::vector<std::shared_ptr<DataFile>> files;
  {
    std::lock_guard<std::mutex> lock(filesMutex_);
    for (const auto &[number, file] : files_) files.push_back(file);
  }
  for (const std::shared_ptr<DataFile> &file : files) {
    ReadLock lock(*this);
    file->releaseAll();
  }
}

void FileGroup::spareMemory(const DataFile &file) {
  // Others wait: they would bring more into memory meanwhile than goes, and it would be taken for what has to stay.
  std::lock_guard<std::mutex> oneAtATime(sparingMutex_);
  if (!mappedMemory_->hasGrown()) return;
  if (file.state_ == DataFile::State::building) {
    // Who builds a file keeps nobody from changing the others.
    return file.releaseSeen();
  }
  std::unique_lock<std::mutex> lock(filesMutex_, std::try_to_lock);
  if (!lock) return file.releaseSeen();
  for (const auto &[number, other] : files_) other->releaseSeen();
  file.releaseSeen();  // which a snapshot may have of a file that was dropped
  releaseFilling();
  if (!mappedMemory_->isLarge()) return;
  // Threads have touched parts just after those went.
  for (const auto &[number, other] : files_) other->releaseAll();
  file.releaseAll();
  releaseFilling();
  mappedMemory_->noteReleased();
}

void FileGroup::releaseFilling() {
  std::lock_guard<std::mutex> lock(fillingMutex_);
  for (const DataFile *file : filling_) file->releaseAll();
}

void FileGroup::noteFilled(const DataFile &file) {
  std::lock_guard<std::mutex> lock(fillingMutex_);
  filling_.erase(&file);
}

void FileGroup::dropFile(const std::shared_ptr<DataFile> &file) {
  if (!file->isDirty()) noteChanged(file.get());
  file->wasFresh_ = file->state_ == DataFile::State::fresh;
  file->state_ = DataFile::State::dropped;
  dropping_.push_back(file);
}

std::shared_ptr<DataFile> FileGroup::createBuildingFile(uint32_t number, const std::string &name) {
  removeLeftover(name);
  std::shared_ptr<DataFile> file(new DataFile(*this, number, name));
  file->state_ = DataFile::State::building;
  {
    std::lock_guard<std::mutex> lock(filesMutex_);
    buildingNames_.insert(name);
  }
  if (!settings_.isVolatile) file->buildingFile_ = disk_.open(name, Disk::Mode::create);
  file->reserve(1);
  if (file->buildingFile_) {
    std::lock_guard<std::mutex> lock(fillingMutex_);
    filling_.insert(file.get());
  }
  return file;
}

void FileGroup::sealBuildingFile(const std::shared_ptr<DataFile> &file) {
  if (!file->buildingFile_) return;
  file->seal();
  disk_.flushDirectory();
}

void FileGroup::adoptFile(const std::shared_ptr<DataFile> &file) {
  noteChanged(file.get());
  adopted_.push_back(file);
}

// Of a building file that was not adopted.
void FileGroup::endBuilding(const std::string &name) {
  removeQuietly(name);
  std::lock_guard<std::mutex> lock(filesMutex_);
  buildingNames_.erase(name);
}

void FileGroup::removeQuietly(const std::string &name) {
  if (settings_.isVolatile) return;
  try {
    disk_.remove(name);
  } catch (const Failure &) {
    // The next opening removes it: the catalog does not name it.
  }
}

// MARK: State

void FileGroup::throwIfPoisoned() const {
  if (!poisoned_.load(std::memory_order_acquire)) return;
  // The code must come through even where there is no memory for the words.
  std::string reason;
  try {
    reason = poisonReason_;
  } catch (const std::bad_alloc &) {
  }
  throw Failure(TDN_MUST_REOPEN, std::move(reason));
}

void FileGroup::poison(const char *reason) {
  {
    std::lock_guard<std::mutex> lock(flushMutex_);
    if (!poisoned_.load(std::memory_order_relaxed)) {
      try {
        poisonReason_ =
          "a write to disk failed, so the outcome of the last saves is unknown until the store is reopened: ";
        poisonReason_ += reason;
      } catch (const std::bad_alloc &) {
      }
      poisoned_.store(true, std::memory_order_release);
    }
  }
  flushDone_.notify_all();
  roomMade_.notify_all();
  throwIfPoisoned();
  std::abort();  // never: it is poisoned
}

tdn_statistics FileGroup::statistics() {
  tdn_statistics result{};
  result.commits = commits_;
  result.log_bytes = logBytes_;
  result.direct_bytes = directBytes_;
  result.flushes = flushes_;
  result.checkpoints = checkpoints_;
  result.checkpoint_bytes = checkpointBytes_;
  result.private_bytes = static_cast<uint64_t>(privatePages_.load()) * kPageSize;
  result.live_log_bytes = liveLogBytes_;
  std::lock_guard<std::mutex> lock(filesMutex_);
  result.open_files = static_cast<uint32_t>(files_.size());
  return result;
}

}  // namespace todana
