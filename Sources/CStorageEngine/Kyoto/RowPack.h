// Small rows with neighbouring row ids, packed into one record of a hash file (docs/formats/cabinet-files.md).
//
// A record of a Kyoto Cabinet hash file costs about 25 bytes besides its value, a bucket, and the walk of a chain. The
// rows of a large save share these costs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "HashFormat.h"

namespace todana {

// The number of low bits of row ids by which the rows of a pack differ.
constexpr int kPackPower = 5;
constexpr int kPackCapacity = 1 << kPackPower;
// The number of rows of a pack below which a batch does not pack them. Rows in their own records are cheaper to change.
constexpr size_t kFewestPackedRows = 8;
// The maximum size of a pack, about two pages: changing or reading one row should not touch more. Small documents of
// about 200 bytes still share a pack.
constexpr size_t kLargestPack = 8000;

inline uint64_t packNumber(uint64_t row) { return row >> kPackPower; }
inline int packIndex(uint64_t row) { return static_cast<int>(row & (kPackCapacity - 1)); }

// A pack's key. A value: any thread. It is a zero byte, followed by the pack's number in the form of a row's key. No
// row's key of more than one byte starts with a zero.
struct PackKey {
  char bytes[9];
  uint32_t length;

  explicit PackKey(uint64_t number) {
    RowKey key(number);
    bytes[0] = 0;
    std::memcpy(bytes + 1, key.bytes, sizeof(key.bytes));
    length = key.length + 1;
  }

  // Parses a key. Returns false if the bytes are not the key of a pack.
  static bool parse(const char *key, size_t length, uint64_t *number) {
    return length > 1 && key[0] == 0 && RowKey::parse(key + 1, length - 1, number) &&
           *number <= UINT64_MAX >> kPackPower;
  }
};

// Parses the number of the pack in a record, or of the pack that its row may join. Returns false if the key is neither
// a row's nor a pack's.
inline bool parsePackNumber(const char *key, size_t length, uint64_t *number) {
  uint64_t row;
  if (!RowKey::parse(key, length, &row)) return PackKey::parse(key, length, number);
  *number = packNumber(row);
  return true;
}

// A view of the value of a pack, whose bytes it does not own. It checks lengths before using them. The caller must have
// verified the pages that it reads. The scans, RecordReader, RowsChange, RowRebuildSource, HashRecovery and Salvage
// read packs with it. One thread, while the bytes are valid.
//
// Each row has a slot. A row that is put again stays in its slot if it fits. A row that has become longer leaves the
// pack, as does a removed one, but the slot stays until the pack is rewritten.
class RowPack {
 public:
  static constexpr size_t kSlotsOffset = 1;
  static constexpr size_t kRowsOffset = 5;
  static constexpr size_t kHeaderSize = 9;
  // The header bytes of each slot: two bytes for its end, and, after the ends of all slots, one byte for its slack.
  static constexpr size_t kSlotSize = 3;
  static constexpr size_t kMostSlack = 255;
  static constexpr char kVersion = 1;
  static constexpr size_t kLongestHead = kHeaderSize + kSlotSize * kPackCapacity;

  // Returns the bytes of the value that must have been verified for `open`.
  static size_t headLength(size_t length) { return std::min(length, kLongestHead); }

  // Opens a pack. Returns false if the bytes are not a pack.
  bool open(const char *value, size_t length) { return open(value, value, length); }
  // Opens a pack whose first `headLength` bytes are at `start`, which may be a copy. They must live as long as the pack
  // is used.
  bool open(const char *start, const char *value, size_t length) {
    if (length < kHeaderSize || start[0] != kVersion) return false;
    std::memcpy(&slots_, start + kSlotsOffset, 4);
    std::memcpy(&rows_, start + kRowsOffset, 4);
    const size_t slotCount = static_cast<size_t>(__builtin_popcount(slots_));
    const size_t head = kHeaderSize + kSlotSize * slotCount;
    if ((rows_ & ~slots_) != 0 || rows_ == 0 || head > length) return false;
    ends_ = start + kHeaderSize;
    slacks_ = ends_ + 2 * slotCount;
    body_ = value + head;
    bodyLength_ = length - head;
    return true;
  }

  // Returns one bit for each row of the pack.
  uint32_t rows() const { return rows_; }
  int rowCount() const { return __builtin_popcount(rows_); }
  bool contains(int index) const { return rows_ >> index & 1; }
  // Returns one bit for each row of the pack, and for each row that has left it.
  uint32_t slots() const { return slots_; }

  // Returns the bytes of all rows, in the order of their ids, with the remains of rows that left.
  std::string_view body() const { return {body_, bodyLength_}; }

  // Finds the bytes of a row, which the pack must contain. They are not verified. Returns false if the pack is damaged.
  bool row(int index, std::string_view &bytes) const {
    const int slot = slotOf(index);
    const size_t start = slot == 0 ? 0 : end(slot - 1), stop = end(slot);
    const size_t slack = static_cast<uint8_t>(slacks_[slot]);
    if (start > stop || stop > bodyLength_ || slack > stop - start) return false;
    bytes = {body_ + start, stop - start - slack};
    return true;
  }

  // Returns the place of the row's slack, the number of unused bytes of its slot.
  const char *slack(int index) const { return slacks_ + slotOf(index); }

 private:
  int slotOf(int index) const { return __builtin_popcount(slots_ & ((1U << index) - 1)); }
  size_t end(int slot) const {
    uint16_t end;
    std::memcpy(&end, ends_ + 2 * slot, 2);
    return end;
  }

  uint32_t slots_ = 0;
  uint32_t rows_ = 0;
  const char *ends_ = nullptr;
  const char *slacks_ = nullptr;
  const char *body_ = nullptr;
  size_t bodyLength_ = 0;
};

}  // namespace todana
