#include "TermTable.h"

#include <algorithm>
#include <cstring>

namespace todana::text {

namespace {

constexpr size_t kFirstSlots = 1 << 10;

// Mixes 8 bytes at a time, by the multiplication of wyhash (https://github.com/wangyi-fudan/wyhash).
uint64_t mixed(const uint8_t *key, size_t count) {
  uint64_t hash = count;
  for (size_t next = 0; next < count; next += 8) {
    uint64_t word = 0;
    std::memcpy(&word, key + next, std::min<size_t>(8, count - next));
    const unsigned __int128 product = static_cast<unsigned __int128>(hash ^ word) * 0x9E3779B97F4A7C15;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  return hash;
}

}  // namespace

void TermTable::clear() {
  bytes_.clear();
  starts_.assign(1, 0);
  slots_.assign(kFirstSlots, {0, kEmpty});
}

uint32_t TermTable::number(const uint8_t *key, size_t count) {
  const uint64_t full = mixed(key, count);
  const uint32_t hash = static_cast<uint32_t>(full ^ full >> 32);
  const size_t mask = slots_.size() - 1;
  for (size_t place = hash & mask;; place = (place + 1) & mask) {
    Slot &slot = slots_[place];
    if (slot.number == kEmpty) {
      const uint32_t number = this->count();
      slot = {hash, number};
      bytes_.insert(bytes_.end(), key, key + count);
      starts_.push_back(bytes_.size());
      if (2 * starts_.size() > slots_.size()) enlarge();
      return number;
    }
    if (slot.hash != hash) continue;
    const Key known = this->key(slot.number);
    if (known.size() == count && std::memcmp(known.data(), key, count) == 0) return slot.number;
  }
}

void TermTable::enlarge() {
  std::vector<Slot> old(slots_.size() * 2, {0, kEmpty});
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot &slot : old) {
    if (slot.number == kEmpty) continue;
    size_t place = slot.hash & mask;
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
