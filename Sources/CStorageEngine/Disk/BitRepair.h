// Damage of a single bit, such as memory or a cable makes: it is undone by trying which bit makes the checksum right.
//
// That a wrong one does is as likely as that a damaged page passes unseen, some 2^-49.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana {

// Flips the one bit after which `isRight()`, and returns true; false, and nothing has changed, where there is none. Costs
// eight calls for each byte.
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

// Whether it is the checksum itself of which one bit was flipped.
inline bool differInOneBit(uint64_t left, uint64_t right) { return __builtin_popcountll(left ^ right) == 1; }

}  // namespace todana
