#include "DataFile.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include "../Disk/Failure.h"
#include "FileGroup.h"
#include "PageSums.h"

namespace todana {

namespace {

// A page of the mapping goes back to what the main file holds, or to zeros where there is no main file.
void dropPrivateCopy(char *page, int64_t byteCount) { ::madvise(page, byteCount, MADV_DONTNEED); }

// The blocks of one page that a range of bytes within it touches.
uint64_t blocksOf(int64_t first, int64_t last) {
  int low = static_cast<int>(first / 64), high = static_cast<int>(last / 64);
  return (~0ULL >> (63 - high)) & (~0ULL << low);
}

}  // namespace

DataFile::DataFile(FileGroup &group, uint32_t number, std::string name)
    : group_(group), number_(number), sparesMemory_(group.settings_.sparesMemory),
      mendsBits_(group.settings_.mendsBits), name_(std::move(name)) {}

DataFile::~DataFile() {
  if (buildingFile_) group_.noteFilled(*this);
  if (base_) ::munmap(base_, reserved_);
  if (state_ == State::building) group_.endBuilding(name_);
}

void DataFile::prefetch(int64_t offset, int64_t byteCount) const {
  offset &= ~(kPageSize - 1);
  byteCount = std::min(byteCount, mainEnd_ - offset);
  if (byteCount > 0) ::madvise(base_ + offset, static_cast<size_t>(byteCount), MADV_WILLNEED);
}

void DataFile::verifyPage(int64_t page) const {
  if (checkPage(page)) return;
  Failure failure(
    TDN_DAMAGED,
    "the page's content does not match its checksum: restore the store from a backup, or salvage what can be read", name_);
  failure.page = page;
  throw failure;
}

bool DataFile::checkPage(int64_t page) const {
  constexpr int64_t kNeighbours = 16;
  const uint64_t neighbours = __atomic_load_n(&verified_[page >> 6], __ATOMIC_RELAXED) >> (page & 63 & -kNeighbours);
  if ((neighbours & ((1 << kNeighbours) - 1)) == 0) prefetch((page & -kNeighbours) * kPageSize, kNeighbours * kPageSize);
  if (sums_ && !hasRightSum(page)) return false;
  setVerified(page);
  return true;
}

void DataFile::write(int64_t offset, const void *bytes, size_t byteCount) {
  if (byteCount == 0) return;
  const int64_t end = offset + static_cast<int64_t>(byteCount);
  if (end > size()) grow(end);
  if (!notesChanges()) {
    std::memcpy(base_ + offset, bytes, byteCount);
    for (int64_t window = offset / kWindowSize; window * kWindowSize < end; window++) noteLook(window * kWindowSize);
    return;
  }
  for (int64_t page = offset / kPageSize, last = (end - 1) / kPageSize; page <= last; page++) {
    const int64_t start = page * kPageSize;
    const int64_t first = std::max(offset, start), limit = std::min(end, start + kPageSize);
    writePart(page, first - start, limit - start, static_cast<const char *>(bytes) + (first - offset));
  }
}

// Bytes of one page. Blocks that stay as they are need not be logged; what is new in the file must be, zeros as well, so
// that the main file becomes as long.
void DataFile::writePart(int64_t page, int64_t first, int64_t end, const char *bytes) {
  char *target = base_ + page * kPageSize + first;
  const size_t byteCount = static_cast<size_t>(end - first);
  uint64_t blocks = blocksOf(first, end - 1);
  const int64_t known = committedSize_ - page * kPageSize;
  if (known > 0) {
    // It may be mended.
    if (!isVerified(page)) verifyPage(page);
    for (int64_t block = first / 64; block * 64 < end && block * 64 + 64 <= known; block++) {
      const int64_t from = std::max(first, block * 64) - first, to = std::min(end, block * 64 + 64) - first;
      if (std::memcmp(target + from, bytes + from, static_cast<size_t>(to - from)) == 0) blocks &= ~(1ULL << block);
    }
    if (blocks == 0) return;
  }
  markDirty(page, blocks);
  std::memcpy(target, bytes, byteCount);
}

void DataFile::markDirty(int64_t page, uint64_t blocks) {
  const uint64_t changed = blocks & ~dirtyBlocks_[page];
  if (changed == 0) return;
  // New pages are listed by `grow`, and a rollback zeroes them.
  if (page * kPageSize < pageCeiling(committedSize_)) {
    if (!isVerified(page)) verifyPage(page);
    if (!isInMainFile(page) && state_ != State::building) saveOldBlocks(page, changed);
    if (dirtyBlocks_[page] == 0) {
      noteFirstChange();
      dirtyPages_.push_back(static_cast<uint32_t>(page));
    }
  }
  dirtyBlocks_[page] |= changed;
}

// A building file is noted when it is adopted.
void DataFile::noteFirstChange() {
  if (state_ != State::building && !isDirty()) group_.noteChanged(this);
}

void DataFile::saveOldBlocks(int64_t page, uint64_t blocks) {
  for (; blocks; blocks &= blocks - 1) {
    OldBlock old;
    old.offset = page * kPageSize + 64 * __builtin_ctzll(blocks);
    std::memcpy(old.bytes, base_ + old.offset, 64);
    oldBlocks_.push_back(old);
  }
}

void DataFile::grow(int64_t newSize) {
  const int64_t oldSize = size();
  if (newSize <= oldSize) return;
  if (isCut()) throw Failure(TDN_INVALID, "a file cannot grow in the commit that cuts it", name_);
  if (newSize > kLargestFile) throw Failure(TDN_LIMIT, "a data file cannot grow beyond 8 TiB", name_);
  reserve(newSize);
  if (notesChanges()) {
    noteFirstChange();
    for (int64_t page = pageCeiling(oldSize) / kPageSize; page < pageCeiling(newSize) / kPageSize; page++) {
      dirtyPages_.push_back(static_cast<uint32_t>(page));
      setVerified(page);
    }
  }
  size_.store(newSize, std::memory_order_relaxed);
}

void DataFile::cut(int64_t newSize) {
  if (newSize % kPageSize != 0 || newSize >= size() || size() != committedSize_ || state_ != State::normal) {
    throw Failure(TDN_INVALID, "a file cannot be cut there", name_);
  }
  noteFirstChange();
  size_.store(newSize, std::memory_order_relaxed);
}

void DataFile::rollBack() {
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

void DataFile::forgetChanges() {
  for (uint32_t page : dirtyPages_) dirtyBlocks_[page] = 0;
  dirtyPages_.clear();
  oldBlocks_.clear();
  // One large commit must not keep its memory for good.
  if (dirtyPages_.capacity() > 4096) dirtyPages_.shrink_to_fit();
  if (oldBlocks_.capacity() > 4096) oldBlocks_.shrink_to_fit();
  committedSize_ = size();
}

int64_t DataFile::acceptCut(uint64_t generation) {
  const int64_t end = size(), oldEnd = pageCeiling(committedSize_);
  const int64_t count = forgetLogged(end / kPageSize);
  mendedPages_.erase(
    std::remove_if(mendedPages_.begin(), mendedPages_.end(), [=](uint32_t page) { return page >= end / kPageSize; }),
    mendedPages_.end());
  hasMended_ = !mendedPages_.empty();
  if (oldEnd > mainEnd_) dropPrivateCopy(base_ + std::max(end, mainEnd_), oldEnd - std::max(end, mainEnd_));
  if (mainEnd_ > end) {
    void *mapped = ::mmap(
      base_ + end, mainEnd_ - end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
      0);
    if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map memory", name_);
    mainEnd_ = end;
  }
  cutEnd_ = cutGeneration_ == 0 ? end : std::min(cutEnd_, end);
  cutGeneration_ = generation;
  return count;
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

}  // namespace todana
