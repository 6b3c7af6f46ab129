#include "GramTable.h"

#include <algorithm>
#include <array>

namespace todana::text {

namespace {

// The scalars of most texts, which have codes of 6 bits: so few that a table of all their grams fits into a cache.
constexpr char kCommon[] = "abcdefghijklmnopqrstuvwxyz0123456789 !\"#$%&'()*+,-./:;<=>?@[]_";
constexpr size_t kCodeBits = 6;
constexpr uint8_t kNoCode = 0xFF;
// The code of a mark; those of other scalars are their places in kCommon.
constexpr uint8_t kMarkCode = 63;
static_assert(sizeof(kCommon) - 1 <= kMarkCode);

constexpr size_t kASCII = 128;

constexpr std::array<uint8_t, kASCII> codes() {
  std::array<uint8_t, kASCII> codes{};
  for (size_t scalar = 0; scalar < kASCII; scalar++) codes[scalar] = kNoCode;
  for (size_t place = 0; kCommon[place] != 0; place++) {
    codes[static_cast<uint8_t>(kCommon[place])] = static_cast<uint8_t>(place);
  }
  return codes;
}

constexpr std::array<uint8_t, kASCII> kCodes = codes();

uint8_t code(uint32_t scalar) {
  if (scalar < kASCII) return kCodes[scalar];
  return scalar == kTextMark ? kMarkCode : kNoCode;
}

constexpr int kBits = 21;
constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;

// Fibonacci hashing: the high bits of the product are well mixed.
size_t place(uint64_t gram, size_t mask) { return static_cast<size_t>(gram * 0x9E3779B97F4A7C15 >> 32) & mask; }

}  // namespace

uint32_t GramTable::number(const uint32_t *scalars, size_t count) {
  uint32_t *known = nullptr;
  if (count == 3) {
    const uint8_t first = code(scalars[0]), second = code(scalars[1]), third = code(scalars[2]);
    if (first != kNoCode && second != kNoCode && third != kNoCode) {
      if (common_.empty()) common_.resize(size_t{1} << 3 * kCodeBits);
      known = &common_[size_t{first} << 2 * kCodeBits | size_t{second} << kCodeBits | third];
      if (*known != 0) return *known - 1;
    }
  }
  const Packed gram = uint64_t{scalars[0] + 1} << 2 * kBits | uint64_t{scalars[1] + 1} << kBits |
                      (count == 3 ? uint64_t{scalars[2] + 1} : 0);
  const uint32_t number = packedNumber(gram);
  if (known != nullptr) *known = number + 1;
  return number;
}

uint32_t GramTable::packedNumber(Packed gram) {
  const size_t mask = slots_.size() - 1;
  for (size_t next = place(gram, mask);; next = (next + 1) & mask) {
    Slot &slot = slots_[next];
    if (slot.gram == gram) return slot.number;
    if (slot.gram != 0) continue;
    const uint32_t number = count();
    slot = {gram, number};
    grams_.push_back(gram);
    if (2 * grams_.size() > slots_.size()) enlarge();
    return number;
  }
}

void GramTable::enlarge() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot &slot : old) {
    if (slot.gram == 0) continue;
    size_t next = place(slot.gram, mask);
    while (slots_[next].gram != 0) next = (next + 1) & mask;
    slots_[next] = slot;
  }
}

void GramTable::appendKey(uint32_t number, Bytes &key) const {
  const Packed gram = grams_[number];
  const uint32_t scalars[3] = {
    static_cast<uint32_t>(gram >> 2 * kBits) - 1, static_cast<uint32_t>(gram >> kBits & kMask) - 1,
    static_cast<uint32_t>(gram & kMask) - 1};
  appendGramKey(scalars, (gram & kMask) == 0 ? 2 : 3, key);
}

std::vector<uint32_t> GramTable::sorted() const {
  std::vector<uint32_t> numbers(count());
  for (uint32_t number = 0; number < numbers.size(); number++) numbers[number] = number;
  std::sort(numbers.begin(), numbers.end(), [this](uint32_t first, uint32_t second) {
    return grams_[first] < grams_[second];
  });
  return numbers;
}

size_t GramTable::memory() const {
  return grams_.capacity() * sizeof(Packed) + slots_.capacity() * sizeof(Slot) + common_.capacity() * sizeof(uint32_t);
}

}  // namespace todana::text
