// DataFile's release of memory: unmaps pages that the main file has, too.
#include "DataFile.h"

#include <algorithm>

#include "FileEnvironment.h"
#include "PageSums.h"
#include "RangeRelease.h"

namespace todana {

void DataFile::release(int64_t offset, int64_t byteCount) const {
  ReaderWriterLock::Shared noneIsRepaired(repairs_.lock());
  RangeRelease ranges;
  release(offset, byteCount, ranges);
  ranges.flush();
}

void DataFile::release(int64_t offset, int64_t byteCount, RangeRelease &ranges) const {
  if (buildingFile_) {
    // The mapping is shared, so the file has everything that was written.
    const int64_t limit = std::min(offset + byteCount, reserved_);
    if (offset < limit) ranges.add(base_ + offset, limit - offset);
    return;
  }
  // In a dropped file, pages that exist only in memory are no longer tracked. Release none, because a snapshot may
  // still read them.
  if (state_ != State::normal && (!isBuilding() || !isSealed_)) return;
  const int64_t end = std::min(offset + byteCount, mainEnd_) / kPageSize;
  int64_t page = pageCeiling(offset) / kPageSize;
  while (page < end) {
    // Extend the run to the next page that exists only in memory.
    int64_t run = page;
    while (run < end) {
      const bool isPiece = run % kPiecePages == 0 && run + kPiecePages <= end;
      if (isPiece && keptInPiece_[run / kPiecePages] == 0 && dirtyPages_.empty() && repairs_.isEmpty()) {
        run += kPiecePages;
      } else if (isInMainFile(run) && dirtyBlocks_[run] == 0) {
        run++;
      } else {
        break;
      }
    }
    if (run > page) ranges.add(base_ + page * kPageSize, (run - page) * kPageSize);
    page = run + 1;
  }
}

void DataFile::releaseAll() const {
  if (readParts_.clearCount()) {
    for (int64_t entry = 0; entry < readParts_.entryCount(); entry++) readParts_.take(entry);
  }
  release(0, reserved_);
  if (sums_) sums_->release();
}

// When a page is read, the kernel maps the whole piece of its cache with the page, up to 2 MiB.
void DataFile::releaseRead(int64_t offset, int64_t byteCount) const {
  const int64_t start = offset & -kPieceSize;
  release(start, ((offset + byteCount + kPieceSize - 1) & -kPieceSize) - start);
}

void DataFile::noteLargeRecord() const {
  if (largeRecordCount_.fetch_add(1, std::memory_order_relaxed) % 8 == 7) releaseAll();
}

void DataFile::noteSeen(int64_t offset) const {
  if (readParts_.add(offset)) environment_.memoryLimit.check(*this);
}

// Visits only the pieces that were read. While a commit changes the file, pages that must stay are spread all over it.
void DataFile::releaseSeen() const {
  static_assert(2 * kPieceSize == ReadParts::kWindowsPerEntry * ReadParts::kWindowSize);
  if (!readParts_.clearCount()) return;
  ReaderWriterLock::Shared noneIsRepaired(repairs_.lock());
  RangeRelease ranges;
  for (int64_t pair = 0, end = (size() / kPieceSize) / 2; pair <= end && pair < readParts_.entryCount(); pair++) {
    const uint64_t seen = readParts_.take(pair);
    if (seen == 0) continue;
    const bool first = static_cast<uint32_t>(seen) != 0, second = seen >> 32 != 0;
    release((2 * pair + !first) * kPieceSize, (first + second) * kPieceSize, ranges);
  }
  ranges.flush();
  if (sums_) sums_->release();
}

}  // namespace todana
