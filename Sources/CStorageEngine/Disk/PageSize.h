// Sizes that the redo log, data files and their checksums share.
#pragma once

#include <cstdint>

namespace todana {

constexpr int64_t kPageSize = 4096;

// Page numbers are 32 bits wide, so a data file has at most 8 TiB.
constexpr int64_t kLargestFile = int64_t{1} << 43;

// Rounds up to a multiple of the page size.
inline int64_t pageCeiling(int64_t byteCount) { return (byteCount + kPageSize - 1) & ~(kPageSize - 1); }

}  // namespace todana
