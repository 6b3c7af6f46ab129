// DataFile's part in commits: its pages in the log, acceptance and rollback.
#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Log/LogWriter.h"
#include "DataFile.h"
#include "FileEnvironment.h"
#include "PageSums.h"

namespace todana {

namespace {

// Restores pages to the content of the main file, or to zeros if there is no main file.
void dropPrivateCopy(char *page, int64_t byteCount) { ::madvise(page, byteCount, MADV_DONTNEED); }

}  // namespace

void DataFile::drop() {
  if (!isDirty()) environment_.changed.push_back(shared_from_this());
  wasFresh_ = state_ == State::fresh;
  state_ = State::dropped;
}

void DataFile::undoDrop() { state_ = wasFresh_ ? State::fresh : State::normal; }

int64_t DataFile::newByteCount() const {
  if (isBuilding() || isDropped()) return 0;
  return std::max<int64_t>(0, pageCeiling(size()) - pageCeiling(committedSize_));
}

int64_t DataFile::growthBeyondMain() const {
  if (isUnsealed() || isDropped()) return 0;
  const int64_t pages =
    std::max<int64_t>(0, pageCeiling(size()) - mainEnd_ - throughByteCount()) + holeCount_ * kPageSize;
  if (pages == 0) return 0;
  // The file of checksums begins with a page of its own.
  return pages + pageCeiling(pages / kPageSize * PageSums::kEntrySize) + (mayLackName() ? 2 * kPageSize : 0);
}

void DataFile::noteHoles(int64_t start, int64_t end) {
  holesStart_ = holesEnd_ == 0 ? start : std::min(holesStart_, start);
  holesEnd_ = std::max(holesEnd_, end);
  countHoles(0);
}

// Counts the holes that remain after the checkpoint of generation `writtenBack`. Pages that a later log has count, even
// if an earlier log had them, too.
void DataFile::countHoles(uint64_t writtenBack) {
  holeCount_ = 0;
  holesEnd_ = std::min(holesEnd_, mainEnd_);
  for (int64_t offset = holesStart_; offset < holesEnd_; offset += kPageSize) {
    holeCount_ += loggedGeneration_[offset / kPageSize] > writtenBack;
  }
  if (holeCount_ == 0) holesStart_ = holesEnd_ = 0;
}

int64_t DataFile::changedPageCount() const {
  if (isBuilding() || isDropped()) return 0;
  const uint32_t firstNewPage = static_cast<uint32_t>(pageCeiling(committedSize_) / kPageSize);
  return std::count_if(dirtyPages_.begin(), dirtyPages_.end(), [=](uint32_t page) { return page < firstNewPage; });
}

int64_t DataFile::changedByteCount() const {
  if (isUnsealed() || isDropped()) return 0;
  constexpr int64_t kPageHeader = 21, kFileHeader = 64;
  const uint32_t firstNewPage =
    isBuilding() ? UINT32_MAX : static_cast<uint32_t>(pageCeiling(committedSize_) / kPageSize);
  const int64_t sumCount = newByteCount() / kPageSize + static_cast<int64_t>(sealedSums_.size());
  int64_t byteCount = kFileHeader + sumCount * PageSums::kEntrySize;
  for (const uint32_t page : dirtyPages_) {
    if (page >= firstNewPage) continue;
    const int64_t blocks = environment_.settings.strict ? kPageSize / kBlockSize
                                                        : __builtin_popcountll(dirtyBlocks_[page]);
    byteCount += kPageHeader + blocks * kBlockSize;
  }
  return byteCount;
}

void DataFile::rewriteRepaired() {
  if (state_ != State::normal) return;
  for (uint32_t page : repairs_.pages()) {
    if (loggedGeneration_[page] == 0) markDirty(page, ~0ULL);
  }
}

// MARK: The log

void DataFile::appendTo(LogWriter &log, bool isDirect, bool isStrict) {
  const int64_t baseSize = isBuilding() ? 0 : committedSize_;
  const bool isShorter = !isDropped() && isCut();
  const uint8_t flags =
    (baseSize == 0 ? kFileIsNew : 0) | (isDropped() ? kFileIsDropped : 0) | (isShorter ? kFileIsCut : 0);
  log.addFile(number_, flags, name_, baseSize, isDropped() ? std::max(baseSize, size()) : size());
  if (isDropped()) return;
  if (isBuilding()) log.addDirect(0, sealedSums_.data(), sealedSums_.size());
  isDirect_ = isDirect;
  const int64_t endPage = pageCeiling(isDirect ? committedSize_ : size()) / kPageSize;
  const uint32_t generation = static_cast<uint32_t>(log.generation());
  std::sort(dirtyPages_.begin(), dirtyPages_.end());
  for (uint32_t page : dirtyPages_) {
    if (page >= endPage) break;
    const char *content = base_ + page * kPageSize;
    const bool isWhole = isStrict && loggedGeneration_[page] != generation;
    log.addPage(page, isWhole ? ~0ULL : dirtyBlocks_[page], pageChecksum(content, number_, page), content);
  }
}

// MARK: Acceptance

int64_t DataFile::accept(uint64_t generation) {
  lastGeneration_ = generation;
  if (isDropped()) return -forgetLogged(0);
  int64_t privatePages = acceptPages(generation);
  if (isCut()) privatePages -= acceptCut(generation);
  forgetChanges();
  isDirect_ = false;
  if (state_ == State::fresh) state_ = State::normal;
  return privatePages;
}

int64_t DataFile::acceptPages(uint64_t generation) {
  if (generation == 0) return 0;
  const int64_t endLogged = pageCeiling(isDirect_ ? committedSize_ : size()) / kPageSize;
  int64_t count = 0;
  for (uint32_t page : dirtyPages_) {
    if (page >= endLogged) continue;
    if (loggedGeneration_[page] == 0) count++;
    setLogged(page, static_cast<uint32_t>(generation));
  }
  return count;
}

// Releases the memory of the file after its new end. Returns the number of released pages that existed only in memory.
int64_t DataFile::acceptCut(uint64_t generation) {
  const int64_t end = size(), oldEnd = pageCeiling(committedSize_);
  const int64_t count = forgetLogged(end / kPageSize);
  repairs_.forgetFrom(end / kPageSize);
  if (oldEnd > mainEnd_) dropPrivateCopy(base_ + std::max(end, mainEnd_), oldEnd - std::max(end, mainEnd_));
  if (mainEnd_ > end) {
    mapZeros(end, mainEnd_);
    mainEnd_ = end;
    countHoles(0);
  }
  cutEnd_ = cutGeneration_ == 0 ? end : std::min(cutEnd_, end);
  cutGeneration_ = generation;
  return count;
}

// Forgets the changes, which are now the committed content.
void DataFile::forgetChanges() {
  for (uint32_t page : dirtyPages_) dirtyBlocks_[page] = 0;
  dirtyPages_.clear();
  oldBlocks_.clear();
  through_.clear();
  // Release the memory that one large commit needed.
  if (dirtyPages_.capacity() > 4096) dirtyPages_.shrink_to_fit();
  if (oldBlocks_.capacity() > 4096) oldBlocks_.shrink_to_fit();
  committedSize_ = size();
}

void DataFile::finishAdopting() {
  committedSize_ = size();
  sealedSums_ = {};
  if (!environment_.settings.isVolatile) return;
  for (int64_t page = 0; page < pageCeiling(size()) / kPageSize; page++) setVerified(page);
}

int64_t DataFile::forgetLogged(int64_t firstPage) {
  int64_t count = 0;
  for (int64_t piece = firstPage / kPiecePages; piece < keptInPiece_.count(); piece++) {
    if (keptInPiece_[piece] == 0) continue;
    const int64_t end = std::min((piece + 1) * kPiecePages, loggedGeneration_.count());
    for (int64_t page = std::max(firstPage, piece * kPiecePages); page < end; page++) {
      if (loggedGeneration_[page] == 0) continue;
      setLogged(page, 0);
      count++;
    }
  }
  return count;
}

// MARK: Rollback

void DataFile::rollBack() {
  if (isBuilding()) return;
  restore();
  isDirect_ = false;
  if (state_ == State::fresh) state_ = State::dropped;
}

void DataFile::restore() {
  undoThrough();
  for (auto old = oldBlocks_.rbegin(); old != oldBlocks_.rend(); ++old) {
    std::memcpy(base_ + old->offset, old->bytes, 64);
  }
  const int64_t newPages = pageCeiling(committedSize_), end = pageCeiling(size());
  if (size() > committedSize_) std::memset(base_ + committedSize_, 0, std::min(newPages, size()) - committedSize_);
  if (end > newPages) dropPrivateCopy(base_ + newPages, end - newPages);
  for (uint32_t page : dirtyPages_) {
    dirtyBlocks_[page] = 0;
    if (isInMainFile(page)) dropPrivateCopy(base_ + page * kPageSize, kPageSize);
  }
  dirtyPages_.clear();
  oldBlocks_.clear();
  size_.store(committedSize_, std::memory_order_relaxed);
}

// MARK: Checkpoints

void DataFile::mapMain(int64_t end, uint64_t writtenBack) {
  if (cutGeneration_ > writtenBack) {
    end = std::min(end, cutEnd_);
  } else {
    cutGeneration_ = 0;
  }
  if (writtenBack > 0 && holesEnd_ > 0) countHoles(writtenBack);
  if (end <= mainEnd_) return;
  struct Kept {
    int64_t offset;
    std::vector<char> content;
  };
  std::vector<Kept> kept;
  for (int64_t offset = mainEnd_; offset < end; offset += kPageSize) {
    const uint32_t logged = loggedGeneration_[offset / kPageSize];
    if ((logged == 0 || logged == writtenBack) && dirtyBlocks_[offset / kPageSize] == 0) continue;
    kept.push_back({offset, std::vector<char>(base_ + offset, base_ + offset + kPageSize)});
  }
  std::unique_ptr<DiskFile> main = environment_.disk.open(name_, Disk::Mode::read);
  if (!main) return;  // dropped concurrently
  const int64_t start = mainEnd_;
  mapPart(*main, end);
  if (writtenBack == 0 && !kept.empty()) noteHoles(start, end);
  for (const Kept &page : kept) std::memcpy(base_ + page.offset, page.content.data(), kPageSize);
}

int64_t DataFile::releaseWrittenBack(const std::vector<uint32_t> &pages, uint64_t generation) {
  int64_t start = 0, end = 0, count = 0;
  for (uint32_t page : pages) {
    const int64_t offset = page * kPageSize;
    if (loggedGeneration_[page] != generation || offset >= mainEnd_) continue;
    setLogged(page, 0);
    repairs_.forget(page);
    count++;
    if (offset != end) {
      if (end > start) dropPrivateCopy(base_ + start, end - start);
      start = offset;
    }
    end = offset + kPageSize;
  }
  if (end > start) dropPrivateCopy(base_ + start, end - start);
  return count;
}

}  // namespace todana
