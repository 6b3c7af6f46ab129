#include "GramTable.h"

#include <algorithm>

namespace todana::text {

namespace {

constexpr size_t kASCII = 128;
constexpr int kBits = 21;
constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;

// Fibonacci hashing: the high bits of the product are well mixed.
size_t place(uint64_t gram, size_t mask) { return static_cast<size_t>(gram * 0x9E3779B97F4A7C15 >> 32) & mask; }

}  // namespace

uint32_t GramTable::number(const uint32_t *scalars, size_t count) {
  const uint32_t third = count == 3 ? scalars[2] : kTextMark;
  uint32_t *known = nullptr;
  if ((scalars[0] | scalars[1] | third) < kASCII) {
    if (ascii_.empty()) ascii_.resize(kASCII * kASCII * kASCII);
    known = &ascii_[(scalars[0] * kASCII + scalars[1]) * kASCII + third];
    if (*known != 0) return *known - 1;
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
  return grams_.capacity() * sizeof(Packed) + slots_.capacity() * sizeof(Slot) + ascii_.capacity() * sizeof(uint32_t);
}

}  // namespace todana::text
