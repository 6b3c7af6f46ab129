#include "DataFile.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Log/LogWriter.h"
#include "FileEnvironment.h"
#include "PageSums.h"

namespace todana {

namespace {

// Returns the blocks that a range of bytes within one page touches.
uint64_t blocksOf(int64_t first, int64_t last) {
  int low = static_cast<int>(first / 64), high = static_cast<int>(last / 64);
  return (~0ULL >> (63 - high)) & (~0ULL << low);
}

}  // namespace

DataFile::DataFile(FileEnvironment &environment, uint32_t number, std::string name, State state)
    : environment_(environment), number_(number), limitsMemory_(environment.settings.limitsMemory),
      repairsBits_(environment.settings.repairsBits), name_(std::move(name)), state_(state), repairs_(number) {}

DataFile::~DataFile() {
  if (buildingFile_) environment_.memoryLimit.removeFilling(*this);
  if (base_) ::munmap(base_, reserved_);
  if (isBuilding()) environment_.endBuilding(name_);
}

// MARK: Reading

void DataFile::prefetch(int64_t offset, int64_t byteCount) const {
  offset &= ~(kPageSize - 1);
  byteCount = std::min(byteCount, mainEnd_ - offset);
  if (byteCount > 0) ::madvise(base_ + offset, static_cast<size_t>(byteCount), MADV_WILLNEED);
}

void DataFile::verifyPage(int64_t page) const {
  if (checkPage(page)) return;
  Failure failure(
    TDN_DAMAGED,
    "the page's content does not match its checksum: restore a backup, or salvage the store", name_);
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

// Verifies the page's checksum, or repairs the page. The page's content was not used before, and no thread releases the
// page during the call.
bool DataFile::hasRightSum(int64_t page) const {
  uint64_t expected;
  if (!sums_->find(page, &expected)) return false;
  char *content = base_ + page * kPageSize;
  const uint64_t found = pageChecksum(content, number_, page);
  return found == expected || (repairsBits_ && repairs_.repair(content, page, expected, found));
}

// MARK: Damaged pages

const char *DataFile::repairedCopy(int64_t page) const {
  uint64_t expected;
  return sums_ && sums_->find(page, &expected) ? repairs_.copy(base_ + page * kPageSize, page, expected) : nullptr;
}

bool DataFile::isDamaged(int64_t page) const {
  const bool exists = page >= 0 && page < pageCeiling(committedSize_) / kPageSize && state_ == State::normal;
  return exists && !isVerified(page) && !checkPage(page);
}

bool DataFile::repairPage(int64_t page) {
  if (!isDamaged(page)) return false;
  const char *content = repairedCopy(page);
  if (!content) return false;
  std::memcpy(base_ + page * kPageSize, content, kPageSize);
  repairs_.add(page);
  setVerified(page);
  return true;
}

bool DataFile::acceptPage(int64_t page) {
  if (!isDamaged(page)) return false;
  repairs_.add(page);
  setVerified(page);
  return true;
}

// MARK: Changing

void DataFile::write(int64_t offset, const void *bytes, size_t byteCount) {
  if (byteCount == 0) return;
  const int64_t end = offset + static_cast<int64_t>(byteCount);
  if (end > size()) grow(end);
  if (static_cast<int64_t>(byteCount / 4) < environment_.settings.directThreshold) {
    writePages(offset, end, static_cast<const char *>(bytes));
  } else {
    writeLarge(offset, end, static_cast<const char *>(bytes));
  }
}

// Writes a large value. Pages whose content is in the main file do not stay in memory.
void DataFile::writeLarge(int64_t offset, int64_t end, const char *bytes) {
  if (!notesChanges() && buildingFile_) return buildingFile_->write(offset, bytes, static_cast<size_t>(end - offset));
  const int64_t firstWhole = std::max(pageCeiling(offset), pageCeiling(committedSize_)), endWhole = end & -kPageSize;
  if (firstWhole < endWhole && writeThrough(firstWhole, endWhole, bytes + (firstWhole - offset))) {
    writePages(offset, firstWhole, bytes);
    writePages(endWhole, end, bytes + (endWhole - offset));
    return;
  }
  for (int64_t start = offset; start < end;) {
    const int64_t pieceEnd = std::min(end, (start + kPieceSize) & -kPieceSize);
    writePages(start, pieceEnd, bytes + (start - offset));
    // Comparing has read all pages, also those that stay as they are.
    release(start & -kPageSize, pieceEnd - (start & -kPageSize));
    start = pieceEnd;
  }
}

void DataFile::writePages(int64_t offset, int64_t end, const char *bytes) {
  if (!notesChanges()) {
    if (isMappedSafely_) {
      std::memcpy(base_ + offset, bytes, static_cast<size_t>(end - offset));
    } else {
      buildingFile_->write(offset, bytes, static_cast<size_t>(end - offset));
    }
    for (int64_t window = offset & -ReadParts::kWindowSize; window < end; window += ReadParts::kWindowSize) noteLook(window);
    return;
  }
  for (int64_t page = offset / kPageSize; page * kPageSize < end; page++) {
    const int64_t start = page * kPageSize;
    const int64_t first = std::max(offset, start), limit = std::min(end, start + kPageSize);
    writePart(page, first - start, limit - start, bytes + (first - offset));
  }
}

// Writes bytes of one page. Unchanged blocks need not be logged. New blocks must be logged even if they are zeros, so
// that the main file becomes long enough.
void DataFile::writePart(int64_t page, int64_t first, int64_t end, const char *bytes) {
  char *target = base_ + page * kPageSize + first;
  const size_t byteCount = static_cast<size_t>(end - first);
  uint64_t blocks = blocksOf(first, end - 1);
  const int64_t known = committedSize_ - page * kPageSize;
  if (known > 0) {
    // Verify before comparing, because this may repair the page.
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
    if (!isInMainFile(page) && !isBuilding()) saveOldBlocks(page, changed);
    if (dirtyBlocks_[page] == 0) {
      noteFirstChange();
      dirtyPages_.push_back(static_cast<uint32_t>(page));
    }
  }
  dirtyBlocks_[page] |= changed;
}

// Adds the file to those that the commit has changed, at its first change. A building file is added when it is adopted.
void DataFile::noteFirstChange() {
  if (!isBuilding() && !isDirty()) environment_.changed.push_back(shared_from_this());
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
  if (isCut()) throw Failure(TDN_INVALID, "a file cannot grow in the commit that truncates it", name_);
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
    throw Failure(TDN_INVALID, "a file cannot be truncated there", name_);
  }
  noteFirstChange();
  size_.store(newSize, std::memory_order_relaxed);
}

}  // namespace todana
