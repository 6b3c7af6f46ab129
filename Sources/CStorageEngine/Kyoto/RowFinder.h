// The search for rows in a hash file: in a pack with others, or in a record of their own.
//
// All of it is called inside FileGroup::commit's `apply`, before anything is changed, or under a FileGroup::ReadLock.
#pragma once

#include <string_view>

#include "HashGroup.h"
#include "RowPack.h"

namespace todana {

// Opens the pack in a record that has a pack's key. Throws Failure(TDN_DAMAGED).
RowPack openPack(const HashFile &file, const HashBlock &record);

// Returns a row that is in the pack, verified. Throws Failure(TDN_DAMAGED).
std::string_view packedRow(const HashFile &file, const HashBlock &record, const RowPack &pack, int index);

// The search for one group of rows after another. RecordReader and RowKeyspaceWriter make one for each call. One
// thread.
class RowFinder {
 public:
  explicit RowFinder(const HashFile &file) : file_(file), hasPacks_(file.packedRows().exist), group_(file) {}

  // Up to kHashGroupSize rows at a time: first all are added, then fetched, then found.
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
  // Finds a row. Returns false if there is none. The value is verified.
  bool find(size_t member, uint64_t row, std::string_view &value);

 private:
  const HashFile &file_;
  const bool hasPacks_;
  HashGroup group_;
  // The pack that was looked for last: rows often come in order.
  uint64_t lastNumber_ = UINT64_MAX;
  bool isLastFound_ = false;
  HashBlock lastRecord_;
  RowPack lastPack_;
};

}  // namespace todana
