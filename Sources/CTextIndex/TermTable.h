// Numbers for keys, in the order in which they first come.
#pragma once

#include "Terms.h"

namespace todana::text {

class TermTable {
 public:
  TermTable() { clear(); }

  // A key that is looked up.
  struct Lookup {
    const uint8_t *key;
    uint64_t first;   // its first 8 bytes, followed by zeros if it is shorter
    uint64_t second;  // the next 8 bytes
    uint64_t hash;
    uint32_t size;
  };

  // Prepares to look up a key, and has the processor fetch its slot. The key must stay in place until `number` is called.
  Lookup lookup(const uint8_t *key, size_t count) const;
  // Returns the number of a key.
  uint32_t number(const Lookup &lookup);

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
  // The first bytes of the key are in the slot, so that most lookups read one place of memory only.
  struct Slot {
    uint64_t first;
    uint64_t second;
    uint32_t size;
    uint32_t number;  // kEmpty for an empty slot
  };
  // A key of up to this many bytes is in the slot entirely.
  static constexpr size_t kInSlot = 16;
  static constexpr uint32_t kEmpty = UINT32_MAX;

  void enlarge();

  Bytes bytes_;
  std::vector<size_t> starts_;
  std::vector<Slot> slots_;
};

}  // namespace todana::text
