// Numbers for keys, in the order in which they first come.
#pragma once

#include "Terms.h"

namespace todana::text {

class TermTable {
 public:
  TermTable() { clear(); }

  // Returns the number of a key.
  uint32_t number(const uint8_t *key, size_t count);

  uint32_t count() const { return static_cast<uint32_t>(starts_.size() - 1); }
  Key key(uint32_t number) const {
    return Key(reinterpret_cast<const char *>(bytes_.data()) + starts_[number], starts_[number + 1] - starts_[number]);
  }
  void appendKey(uint32_t number, Bytes &bytes) const {
    bytes.insert(
      bytes.end(), bytes_.begin() + static_cast<ptrdiff_t>(starts_[number]),
      bytes_.begin() + static_cast<ptrdiff_t>(starts_[number + 1]));
  }
  // Returns the numbers of all keys, in the order of the keys.
  std::vector<uint32_t> sorted() const;
  size_t memory() const {
    return bytes_.capacity() + starts_.capacity() * sizeof(size_t) + slots_.capacity() * sizeof(Slot);
  }
  void clear();

 private:
  struct Slot {
    uint32_t hash;
    uint32_t number;  // kEmpty for an empty slot
  };
  static constexpr uint32_t kEmpty = UINT32_MAX;

  void enlarge();

  Bytes bytes_;
  std::vector<size_t> starts_;
  std::vector<Slot> slots_;
};

}  // namespace todana::text
