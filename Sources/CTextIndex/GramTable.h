// Numbers for grams, in the order in which they first come.
#pragma once

#include "Grams.h"

namespace todana::text {

class GramTable {
 public:
  GramTable() : slots_(kFirstSlots) {}

  // Returns the number of a gram of two or three scalars.
  uint32_t number(const uint32_t *scalars, size_t count);

  uint32_t count() const { return static_cast<uint32_t>(grams_.size()); }
  void appendKey(uint32_t number, Bytes &key) const;
  // Returns the numbers of all grams, in the order of their keys.
  std::vector<uint32_t> sorted() const;
  size_t memory() const;

 private:
  // The scalars of a gram in 21 bits each, plus 1, so that a shorter gram comes first.
  using Packed = uint64_t;

  struct Slot {
    Packed gram = 0;  // 0 for an empty slot
    uint32_t number = 0;
  };
  static constexpr size_t kFirstSlots = 1 << 10;

  uint32_t packedNumber(Packed gram);
  void enlarge();

  std::vector<Packed> grams_;
  std::vector<Slot> slots_;
  // The numbers of grams of common scalars, plus 1; empty before the first one.
  std::vector<uint32_t> common_;
};

}  // namespace todana::text
