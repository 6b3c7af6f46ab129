#include "DiskRoom.h"

#include <string>

#include "../Disk/Failure.h"

namespace todana {

int64_t DiskRoom::ask() {
  known_ = disk_.room();
  return known_;
}

bool DiskRoom::mayBeShort(int64_t growth) {
  if (settings_.isVolatile || growth == 0) return false;
  // Pages take space in the log first, and then in the main file.
  usedSince_ += 2 * growth;
  if (known_ - usedSince_ > ample()) return false;
  usedSince_ = 2 * growth;
  return ask() - usedSince_ <= ample();
}

void DiskRoom::require(int64_t logBytes, int64_t pendingBytes) {
  // Each page of 4 KiB has a checksum of 8 bytes.
  const int64_t needed = logBytes + pendingBytes + pendingBytes / 512 + kReserve;
  if (known_ >= needed) return;
  throw Failure(
    TDN_NO_SPACE, "the disk is full: it has " + std::to_string(known_ >> 10) + " KiB left, and the save needs " +
                    std::to_string((needed - known_ + 1023) >> 10) + " KiB more");
}

bool DiskRoom::isSmall() { return !settings_.isVolatile && ask() < ample(); }

}  // namespace todana
