#include "Packing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace todana::text {

namespace {

constexpr uint8_t kHasExceptions = 64;
constexpr unsigned kMostBits = 32;

unsigned bitCount(uint32_t value) {
  return value == 0 ? 0 : kMostBits - static_cast<unsigned>(__builtin_clz(value));
}

size_t packedSize(size_t count, unsigned width) { return (count * width + 7) / 8; }

// Returns the width that takes the fewest bytes.
unsigned bestWidth(const uint32_t *values, size_t count) {
  // The number of values with each number of bits, counted in turns: successive values often have as many bits, and a
  // counter that was just changed has to be waited for.
  uint32_t counts[2][kMostBits + 1] = {};
  uint32_t all = 0;
  for (size_t index = 0; index < count; index++) {
    counts[index % 2][bitCount(values[index])]++;
    all |= values[index];
  }
  const unsigned most = bitCount(all);
  // The number of values with more bits than a width.
  uint32_t above[kMostBits + 1] = {};
  for (unsigned width = most; width-- > 0;) above[width] = above[width + 1] + counts[0][width + 1] + counts[1][width + 1];
  unsigned best = most;
  size_t least = packedSize(count, most);
  for (unsigned width = most; width-- > 0;) {
    // An exception has its index, and a byte for each seven bits above the width.
    size_t size = packedSize(count, width) + 1 + above[width];
    for (unsigned bits = width; bits < most; bits += 7) size += above[bits];
    if (size > least) continue;
    least = size;
    best = width;
  }
  return best;
}

// Appends the low bits of numbers.
void appendBits(const uint32_t *values, size_t count, unsigned width, Bytes &output) {
  // Bits are written as 8 bytes, so that there must be room after the last one.
  uint8_t packed[kGroup * 4 + 8];
  const uint64_t mask = (uint64_t{1} << width) - 1;
  uint64_t bits = 0;
  unsigned used = 0;
  uint8_t *next = packed;
  for (size_t index = 0; index < count; index++) {
    bits |= (values[index] & mask) << used;
    used += width;
    if (used < 32) continue;
    std::memcpy(next, &bits, 4);
    next += 4;
    bits >>= 32;
    used -= 32;
  }
  std::memcpy(next, &bits, 8);
  output.insert(output.end(), packed, packed + packedSize(count, width));
}

// Reads numbers of a width, of which the compiler knows all offsets in a run of eight.
template <unsigned width>
void readBits(const uint8_t *bytes, size_t count, uint32_t *values) {
  constexpr uint64_t kMask = (uint64_t{1} << width) - 1;
  constexpr size_t kRun = 8;
  size_t index = 0;
  for (; index + kRun <= count; index += kRun, bytes += width) {
    for (size_t place = 0; place < kRun; place++) {
      uint64_t word;
      std::memcpy(&word, bytes + place * width / 8, 8);
      values[index + place] = static_cast<uint32_t>(word >> place * width % 8 & kMask);
    }
  }
  for (size_t bit = 0; index < count; index++, bit += width) {
    uint64_t word;
    std::memcpy(&word, bytes + bit / 8, 8);
    values[index] = static_cast<uint32_t>(word >> bit % 8 & kMask);
  }
}

using BitReader = void (*)(const uint8_t *bytes, size_t count, uint32_t *values);

template <unsigned... widths>
constexpr std::array<BitReader, sizeof...(widths)> bitReaders(std::integer_sequence<unsigned, widths...>) {
  return {readBits<widths>...};
}

// For each width.
constexpr auto kBitReaders = bitReaders(std::make_integer_sequence<unsigned, kMostBits + 1>());

}  // namespace

void pack(const uint32_t *values, size_t count, Bytes &output) {
  const unsigned width = count == 1 ? bitCount(values[0]) : bestWidth(values, count);
  uint8_t exceptions[kGroup];
  uint8_t exceptionCount = 0;
  for (size_t index = 0; index < count; index++) {
    if (static_cast<uint64_t>(values[index]) >> width != 0) exceptions[exceptionCount++] = static_cast<uint8_t>(index);
  }
  output.push_back(static_cast<uint8_t>(width | (exceptionCount > 0 ? kHasExceptions : 0)));
  if (exceptionCount > 0) output.push_back(exceptionCount);
  appendBits(values, count, width, output);
  for (uint8_t number = 0; number < exceptionCount; number++) {
    output.push_back(exceptions[number]);
    appendVarint(output, static_cast<uint64_t>(values[exceptions[number]]) >> width);
  }
}

void unpack(Input &input, size_t count, uint32_t *values) {
  const uint8_t head = input.byte();
  const unsigned width = head & ~kHasExceptions;
  if (width > kMostBits || count > kGroup) throw Damaged();
  const uint8_t exceptionCount = (head & kHasExceptions) != 0 ? input.byte() : 0;
  const size_t size = packedSize(count, width);
  const size_t left = input.left();
  const uint8_t *bytes = input.take(size);
  // Numbers are read as 8 bytes, so that there must be some after the last one.
  uint8_t copy[kGroup * 4 + 8];
  if (left < size + 8) {
    std::memcpy(copy, bytes, size);
    std::memset(copy + size, 0, 8);
    bytes = copy;
  }
  kBitReaders[width](bytes, count, values);
  for (uint8_t number = 0; number < exceptionCount; number++) {
    const uint8_t index = input.byte();
    const uint64_t high = input.varint(UINT32_MAX);
    if (index >= count || width == kMostBits || high << width > UINT32_MAX) throw Damaged();
    values[index] |= static_cast<uint32_t>(high << width);
  }
}

void skipPacked(Input &input, size_t count) {
  const uint8_t head = input.byte();
  const unsigned width = head & ~kHasExceptions;
  if (width > kMostBits || count > kGroup) throw Damaged();
  const uint8_t exceptionCount = (head & kHasExceptions) != 0 ? input.byte() : 0;
  input.take(packedSize(count, width));
  for (uint8_t number = 0; number < exceptionCount; number++) {
    input.byte();
    input.varint();
  }
}

}  // namespace todana::text
