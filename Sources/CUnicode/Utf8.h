// Scalars in UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana::unicode {

struct Scalar {
  uint32_t value;
  uint32_t length;  // in bytes
};

// Decodes the scalar at an offset. An invalid byte is the replacement character, of length 1.
inline Scalar decode(const uint8_t *bytes, size_t count, size_t offset) {
  const uint8_t first = bytes[offset];
  if (first < 0x80) return {first, 1};
  const size_t left = count - offset;
  const auto follows = [&](size_t index) { return (bytes[offset + index] & 0xC0) == 0x80; };
  const auto bits = [&](size_t index) { return static_cast<uint32_t>(bytes[offset + index] & 0x3F); };
  if (first >= 0xC2 && first < 0xE0 && left > 1 && follows(1)) return {(first & 0x1Fu) << 6 | bits(1), 2};
  if (first >= 0xE0 && first < 0xF0 && left > 2 && follows(1) && follows(2)) {
    const uint32_t value = (first & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
    if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) return {value, 3};
  }
  if (first >= 0xF0 && first < 0xF5 && left > 3 && follows(1) && follows(2) && follows(3)) {
    const uint32_t value = (first & 0x07u) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
    if (value >= 0x10000 && value < 0x110000) return {value, 4};
  }
  return {0xFFFD, 1};
}

// Appends a scalar, and returns the number of bytes.
inline size_t encode(uint32_t value, uint8_t *bytes) {
  const auto low = [&](int shift) { return static_cast<uint8_t>(0x80 | (value >> shift & 0x3F)); };
  if (value < 0x80) {
    bytes[0] = static_cast<uint8_t>(value);
    return 1;
  }
  if (value < 0x800) {
    bytes[0] = static_cast<uint8_t>(0xC0 | value >> 6);
    bytes[1] = low(0);
    return 2;
  }
  if (value < 0x10000) {
    bytes[0] = static_cast<uint8_t>(0xE0 | value >> 12);
    bytes[1] = low(6);
    bytes[2] = low(0);
    return 3;
  }
  bytes[0] = static_cast<uint8_t>(0xF0 | value >> 18);
  bytes[1] = low(12);
  bytes[2] = low(6);
  bytes[3] = low(0);
  return 4;
}

}  // namespace todana::unicode
