#include "TermTable.h"

#include <algorithm>
#include <cstring>

namespace todana::text {

namespace {

constexpr size_t kFirstSlots = 1 << 10;

// Mixes two numbers, by the multiplication of wyhash (https://github.com/wangyi-fudan/wyhash).
uint64_t mixed(uint64_t hash, uint64_t word) {
  const unsigned __int128 product = static_cast<unsigned __int128>(hash ^ word) * 0x9E3779B97F4A7C15;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Returns up to 8 bytes of a key, followed by zeros.
uint64_t word(const uint8_t *key, size_t count, size_t offset) {
  uint64_t word = 0;
  if (offset + 8 <= count) {
    std::memcpy(&word, key + offset, 8);
  } else {
    for (size_t index = count; index-- > offset;) word = word << 8 | key[index];
  }
  return word;
}

uint64_t hash(uint64_t first, uint64_t second, const uint8_t *key, size_t count) {
  uint64_t hash = mixed(mixed(count, first), second);
  for (size_t next = 16; next < count; next += 8) hash = mixed(hash, word(key, count, next));
  return hash ^ hash >> 32;
}

}  // namespace

void TermTable::clear() {
  bytes_.clear();
  starts_.assign(1, 0);
  slots_.assign(kFirstSlots, {0, 0, 0, kEmpty});
}

TermTable::Lookup TermTable::lookup(const uint8_t *key, size_t count) const {
  const uint64_t first = word(key, count, 0), second = word(key, count, 8);
  const Lookup lookup{key, first, second, hash(first, second, key, count), static_cast<uint32_t>(count)};
  __builtin_prefetch(&slots_[lookup.hash & (slots_.size() - 1)]);
  return lookup;
}

uint32_t TermTable::number(const Lookup &lookup) {
  const size_t mask = slots_.size() - 1;
  for (size_t place = lookup.hash & mask;; place = (place + 1) & mask) {
    Slot &slot = slots_[place];
    if (slot.number == kEmpty) {
      const uint32_t number = this->count();
      slot = {lookup.first, lookup.second, lookup.size, number};
      bytes_.insert(bytes_.end(), lookup.key, lookup.key + lookup.size);
      starts_.push_back(bytes_.size());
      if (2 * starts_.size() > slots_.size()) enlarge();
      return number;
    }
    if (slot.first != lookup.first || slot.second != lookup.second || slot.size != lookup.size) continue;
    if (lookup.size <= kInSlot || std::memcmp(key(slot.number).data(), lookup.key, lookup.size) == 0) {
      return slot.number;
    }
  }
}

void TermTable::enlarge() {
  std::vector<Slot> old(slots_.size() * 2, {0, 0, 0, kEmpty});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot &slot : old) {
    if (slot.number == kEmpty) continue;
    const Key key = this->key(slot.number);
    const auto *const bytes = reinterpret_cast<const uint8_t *>(key.data());
    size_t place = hash(slot.first, slot.second, bytes, key.size()) & mask;
    while (slots_[place].number != kEmpty) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

std::vector<uint32_t> TermTable::sorted() const {
  std::vector<uint32_t> numbers(count());
  for (uint32_t number = 0; number < numbers.size(); number++) numbers[number] = number;
  std::sort(
    numbers.begin(), numbers.end(), [this](uint32_t first, uint32_t second) { return key(first) < key(second); });
  return numbers;
}

}  // namespace todana::text
