#include "DiskRoom.h"

#include <algorithm>
#include <string>

#include "../Disk/Failure.h"
#include "DataFile.h"

namespace todana {

int64_t DiskRoom::ask() {
  known_ = disk_.room();
  return known_;
}

bool DiskRoom::mayBeShort(int64_t byteCount) {
  if (settings_.isVolatile) return false;
  usedSince_ += byteCount;
  if (known_ - usedSince_ > ample()) return false;
  usedSince_ = byteCount;
  return ask() - usedSince_ <= ample();
}

void DiskRoom::require(int64_t logBytes, int64_t pendingBytes, int64_t pageBytes, int64_t reserve) {
  // The log ends with a whole page.
  const int64_t needed =
    logBytes + logBytes / 16 + pendingBytes + kLeast + forCopies(pageBytes) + reserve;
  if (known_ >= needed) return;
  throw Failure(
    TDN_NO_SPACE, "the disk is full: it has " + std::to_string(known_ >> 10) + " KiB left, and " +
                    std::to_string((needed - known_ + 1023) >> 10) + " KiB more are needed");
}

int64_t DiskRoom::size(Reserve reserve, const std::vector<std::shared_ptr<DataFile>> &files) const {
  if (reserve == Reserve::none) return 0;
  if (reserve == Reserve::forCompaction) return kReserveForCompaction;
  int64_t byteCount = 0;
  for (const std::shared_ptr<DataFile> &file : files) byteCount += std::min(kMostForFile, file->size() / 8);
  // A changed page is written to the log and to another place, and its old place may stay in use.
  return isCopying_ ? kReserveForCopies + 3 * byteCount : kReserve + byteCount;
}

bool DiskRoom::isSmall() { return !settings_.isVolatile && ask() < ample(); }

}  // namespace todana
