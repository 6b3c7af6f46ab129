// DataFile's part in direct writes: new pages that go to the main file in the commit that adds them.
#include <algorithm>

#include "../Disk/Checksum.h"
#include "Checkpoint.h"
#include "DataFile.h"
#include "FileEnvironment.h"

namespace todana {

// Writes whole new pages of a large value to the main file, so that they take no memory. Returns false if that is not
// possible. The range must consist of whole pages within `size()`.
bool DataFile::writeThrough(int64_t start, int64_t end, const char *bytes) {
  const GroupSettings &settings = environment_.settings;
  // With less, a mapping of its own costs more than a copy.
  if (end - start < settings.directThreshold || settings.isVolatile) return false;
  if (start < std::max(pageCeiling(committedSize_), mainEnd_) || isBuilding() || isDropped() || isCutPending()) return false;
  for (int64_t page = start / kPageSize; page < end / kPageSize; page++) {
    if (dirtyBlocks_[page] != 0) return false;
  }
  for (const ThroughRange &range : through_) {
    if (range.overlaps(start, end)) return false;
  }
  const auto next = std::find_if(through_.begin(), through_.end(), [&](const ThroughRange &range) { return range.start > start; });
  // From here on a rollback cuts the main file, and restores the zeros.
  ThroughRange &range = *through_.insert(next, {start, end, {}});
  range.sums.reserve(static_cast<size_t>((end - start) / kPageSize));
  for (int64_t page = start / kPageSize; page < end / kPageSize; page++, bytes += kPageSize) {
    range.sums.push_back(pageChecksum(bytes, number_, page));
  }
  std::unique_ptr<DiskFile> main = environment_.disk.open(name_, Disk::Mode::create);
  main->write(start, bytes - (end - start), static_cast<size_t>(end - start));
  mapRange(*main, start, end);
  return true;
}

// Cuts off what was written through, and restores the zeros in memory.
void DataFile::undoThrough() {
  if (through_.empty()) return;
  for (const ThroughRange &range : through_) mapZeros(range.start, range.end);
  through_.clear();
  std::unique_ptr<DiskFile> main = environment_.disk.open(name_, Disk::Mode::write);
  if (main) cutOff(*main, committedSize_, environment_.settings.strict);
}

int64_t DataFile::throughByteCount() const {
  int64_t byteCount = 0;
  for (const ThroughRange &range : through_) byteCount += range.byteCount();
  return byteCount;
}

std::vector<uint64_t> DataFile::newPageSums() const {
  const int64_t firstPage = pageCeiling(committedSize_) / kPageSize, endPage = pageCeiling(size()) / kPageSize;
  std::vector<uint64_t> sums(static_cast<size_t>(endPage - firstPage));
  auto range = through_.begin();
  for (int64_t page = firstPage; page < endPage; page++) {
    while (range != through_.end() && range->end <= page * kPageSize) ++range;
    const bool isThrough = range != through_.end() && range->start <= page * kPageSize && dirtyBlocks_[page] == 0;
    sums[static_cast<size_t>(page - firstPage)] =
      isThrough ? range->sum(page) : pageChecksum(base_ + page * kPageSize, number_, page);
  }
  return sums;
}

void DataFile::writeNewPages(DiskFile &main) const {
  int64_t start = pageCeiling(committedSize_);
  auto writeUpTo = [&](int64_t end) {
    if (start < end) main.write(start, base_ + start, static_cast<size_t>(end - start));
    start = end;
  };
  for (const ThroughRange &range : through_) {
    writeUpTo(range.start);
    // Later changes of the same commit are in memory.
    for (int64_t offset = range.start; offset < range.end; offset += kPageSize) {
      if (dirtyBlocks_[offset / kPageSize] != 0) continue;
      writeUpTo(offset);
      start = offset + kPageSize;
    }
  }
  writeUpTo(size());
}

}  // namespace todana
