#include "DiskRoom.h"

#include <string>

#include "../Disk/Failure.h"

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

void DiskRoom::require(int64_t logBytes, int64_t pendingBytes, int64_t liveBytes, bool leavesReserve) {
  // The log ends with a whole page.
  const int64_t needed = logBytes + logBytes / 16 + withChecksums(pendingBytes) + kLeast +
                         forCopies(liveBytes + logBytes) +
                         (leavesReserve ? isCopying_ ? kReserveForCopies : kReserve : 0);
  if (known_ >= needed) return;
  throw Failure(
    TDN_NO_SPACE, "the disk is full: it has " + std::to_string(known_ >> 10) + " KiB left, and the save needs " +
                    std::to_string((needed - known_ + 1023) >> 10) + " KiB more");
}

bool DiskRoom::isSmall() { return !settings_.isVolatile && ask() < ample(); }

}  // namespace todana
