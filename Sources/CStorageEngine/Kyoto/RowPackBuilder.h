// The builder of packs of rows (RowPack.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "RowPack.h"

namespace todana {

// The value of a pack being built, row after row. RowsChange and RowRebuildSource own one. One thread, without a lock.
class RowPackBuilder {
 public:
  void begin() {
    rows_ = 0;
    slot_ = 0;
    length_ = 0;
  }

  // Adds a row. Rows must come in the order of their ids. Returns false if the pack has no room for it.
  bool add(int index, std::string_view bytes) {
    if (bytes.size() > kLargestPack - length_) return false;
    if (!bytes.empty()) std::memcpy(body() + length_, bytes.data(), bytes.size());
    length_ += bytes.size();
    uint16_t end = static_cast<uint16_t>(length_);
    std::memcpy(head_ + RowPack::kHeaderSize + 2 * slot_++, &end, 2);
    rows_ |= 1U << index;
    return true;
  }

  int rowCount() const { return slot_; }

  // Returns the value, which is valid until the next `begin`.
  std::string_view finish();

 private:
  char *body() { return bytes_ + RowPack::kLongestHead; }

  char bytes_[RowPack::kLongestHead + kLargestPack];
  char head_[RowPack::kLongestHead];
  uint32_t rows_ = 0;
  int slot_ = 0;
  size_t length_ = 0;
};

}  // namespace todana
