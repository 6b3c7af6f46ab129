// The repair of a single wrong bit, as faulty memory or a faulty cable may cause it. One bit after another is flipped,
// and flipped back, until the checksum matches.
//
// For a page with more wrong bits, a flip makes the checksum right by chance with a probability of about 2^-49. Such a
// false repair stays undetected, as does any damage that a checksum misses. CommitRing, PageSums and PageRepairs call
// these functions. Any thread, for bytes that no other thread uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana {

// Finds one bit after whose flip `isRight()` returns true. Leaves it flipped and returns true. If there is no such bit,
// returns false and leaves the bytes unchanged. Calls `isRight` up to eight times for each byte.
template <class IsRight> bool repairBit(void *bytes, size_t byteCount, IsRight isRight) {
  auto *byte = static_cast<uint8_t *>(bytes);
  for (uint8_t *end = byte + byteCount; byte < end; byte++) {
    for (int bit = 0; bit < 8; bit++) {
      *byte ^= static_cast<uint8_t>(1 << bit);
      if (isRight()) return true;
      *byte ^= static_cast<uint8_t>(1 << bit);
    }
  }
  return false;
}

// Tests whether two checksums differ in only one bit: then the stored checksum is damaged, not the page.
inline bool differInOneBit(uint64_t left, uint64_t right) { return __builtin_popcountll(left ^ right) == 1; }

}  // namespace todana
