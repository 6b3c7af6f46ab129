// Repair of a single wrong bit, such as memory or a cable causes: each bit is flipped until the checksum is right.
//
// A wrong bit makes it right with a probability of about 2^-49 for a page, as does damage that no checksum finds.
// CommitRing, PageSums and PageRepairs call these functions. Any thread, for bytes that no other thread uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana {

// Flips the one bit after which `isRight()` holds, and returns true. Returns false, with the bytes unchanged, if no bit
// does. Costs eight calls for each byte.
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

// Tests whether two checksums differ in one bit only: then the stored checksum is damaged, not the page.
inline bool differInOneBit(uint64_t left, uint64_t right) { return __builtin_popcountll(left ^ right) == 1; }

}  // namespace todana
