// The search for rows in a hash file: in a pack with others, or in a record of their own.
//
// All functions are called inside FileGroup::commit's `apply` before the first change, or under a FileGroup::ReadLock.
#pragma once

#include <string_view>

#include "HashGroup.h"
#include "RowPack.h"

namespace todana {

// Opens the pack in a record with a pack's key. Throws Failure(TDN_DAMAGED).
RowPack openPack(const HashFile &file, const HashBlock &record);

// Returns a row of the pack, verified. The pack must contain the row. Throws Failure(TDN_DAMAGED).
std::string_view packedRow(const HashFile &file, const HashBlock &record, const RowPack &pack, int index);

// The search for rows, one group after another. RecordReader and RowKeyspaceWriter make one for each call. One thread.
class RowFinder {
 public:
  explicit RowFinder(const HashFile &file) : file_(file), hasPacks_(file.packedRows().exist), group_(file) {}

  // Adds a row to the group of up to kHashGroupSize rows. First all rows are added, then fetched, then found.
  void add(size_t member, uint64_t row) {
    if (hasPacks_) {
      PackKey key(packNumber(row));
      group_.add(member, key.bytes, key.length);
    } else {
      RowKey key(row);
      group_.add(member, key.bytes, key.length);
    }
  }
  void fetch(size_t count) { group_.fetch(count); }
  // Finds a row and verifies its value. Returns false if there is none.
  bool find(size_t member, uint64_t row, std::string_view &value);

 private:
  const HashFile &file_;
  const bool hasPacks_;
  HashGroup group_;
  // The pack that was searched for last: rows often come in order.
  uint64_t lastNumber_ = UINT64_MAX;
  bool isLastFound_ = false;
  HashBlock lastRecord_;
  RowPack lastPack_;
};

}  // namespace todana
