// New pages of the commit being applied that are in the main file already.
#pragma once

#include <cstdint>
#include <vector>

#include "../Disk/PageSize.h"

namespace todana {

// Whole new pages of one large value. DataFile makes it, and keeps it until the commit ends.
//
// It belongs to the committing thread.
struct ThroughRange {
  int64_t start;               // offsets in the file, multiples of the page size
  int64_t end;
  std::vector<uint64_t> sums;  // by page: the checksum of what was written

  bool overlaps(int64_t otherStart, int64_t otherEnd) const { return otherStart < end && start < otherEnd; }
  int64_t byteCount() const { return end - start; }
  uint64_t sum(int64_t page) const { return sums[static_cast<size_t>(page - start / kPageSize)]; }
};

}  // namespace todana
