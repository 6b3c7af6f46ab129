// XXH3-64 (Yann Collet, xxHash 0.8), the checksum of pages, frames and headers. It detects damage, not tampering.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace todana {

inline uint64_t checksum(const void *bytes, size_t byteCount, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, byteCount, seed);
}

// A checksum of 128 bits, XXH3-128. It detects damage and changes, not tampering.
//
// Series of backups compare pieces and manifests by it. In a plain store, KeyspaceDigestMac computes its terms with it.
// A value: any thread, no lock.
struct WideSum {
  uint64_t low, high;

  static WideSum of(const void *bytes, size_t byteCount, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, byteCount, seed);
    return {hash.low64, hash.high64};
  }
  bool operator==(const WideSum &other) const { return low == other.low && high == other.high; }
  bool operator!=(const WideSum &other) const { return !(*this == other); }
};

inline bool isZero(const char *bytes, size_t byteCount) {
  return std::all_of(bytes, bytes + byteCount, [](char byte) { return byte == 0; });
}

// Returns the seed of a page's checksum. With it, a page in another place or of another file does not match.
inline uint64_t pageSeed(uint32_t fileNumber, int64_t page) {
  return (static_cast<uint64_t>(fileNumber) << 40) ^ static_cast<uint64_t>(page) ^ 0x544F44414E415047ULL;
}

inline uint64_t pageChecksum(const void *page, uint32_t fileNumber, int64_t pageNumber) {
  return checksum(page, 4096, pageSeed(fileNumber, pageNumber));
}

}  // namespace todana
