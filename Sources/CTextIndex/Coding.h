// Numbers and bytes, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "Failure.h"

namespace todana::text {

using Bytes = std::vector<uint8_t>;

// Appends a number in 7-bit groups, the lowest first; all bytes but the last have the highest bit set.
inline void appendVarint(Bytes &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

inline size_t varintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) size++;
  return size;
}

// Reads from bytes; throws Damaged at their end.
class Input {
 public:
  Input(const uint8_t *bytes, size_t count) : next_(bytes), end_(bytes + count) {}

  size_t left() const { return static_cast<size_t>(end_ - next_); }
  bool isAtEnd() const { return next_ == end_; }

  uint8_t byte() {
    if (next_ == end_) throw Damaged();
    return *next_++;
  }

  uint64_t varint() {
    if (next_ != end_ && *next_ < 0x80) return *next_++;
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t part = byte();
      if (shift == 63 && part > 1) throw Damaged();
      value |= static_cast<uint64_t>(part & 0x7F) << shift;
      if (part < 0x80) return value;
    }
    throw Damaged();
  }

  // Reads a number that must not exceed `most`.
  uint64_t varint(uint64_t most) {
    const uint64_t value = varint();
    if (value > most) throw Damaged();
    return value;
  }

  const uint8_t *take(size_t count) {
    if (count > left()) throw Damaged();
    const uint8_t *const bytes = next_;
    next_ += count;
    return bytes;
  }

 private:
  const uint8_t *next_;
  const uint8_t *end_;
};

}  // namespace todana::text
