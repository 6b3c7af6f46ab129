// Compares what a scan over all of a structure has read with what its commits have noted.
#pragma once

#include "../Failure.h"
#include "../Snapshots/ContentsDigest.h"
#include "Structure.h"

namespace todana {

class ContentsCheck {
 public:
  ContentsCheck(const KeyRing &ring, const Structure &structure, const ContentsState &expected)
      : digest_(ring, structure.id), structure_(structure.id), hasRows_(structure.hasRows()),
        isTree_(structure.isTree()), expected_(expected) {}

  // Something was not read: there is nothing to compare any more.
  void giveUp() { isOver_ = true; }

  // What one call of the scan has read. Throws Failure(TDN_CONTENTS_MISMATCH), once, where that was the end and the
  // records are not those that were committed.
  void add(const tdn_chunk &chunk) {
    if (isOver_) return;
    for (size_t index = 0; index < chunk.slice_count; index++) {
      const tdn_slice &slice = chunk.slices[index];
      if (slice.status != TDN_FOUND) return giveUp();
      const char *value = reinterpret_cast<const char *>(chunk.bytes) + slice.offset;
      const std::string_view key(value - slice.key_length, slice.key_length);
      if (hasRows_) {
        digest_.toggleRow(slice.row, recordToken(value, slice.length));
      } else if (isTree_) {
        digest_.toggleEntry(key, {value, slice.length});
      } else {
        digest_.toggleKey(key, recordToken(value, slice.length));
      }
    }
    found_.count += chunk.slice_count;
    if (chunk.slice_count > 0 || chunk.needed > 0) return;
    isOver_ = true;
    found_.digest = digest_.take();
    if (found_ == expected_) return;
    Failure failure(
      TDN_CONTENTS_MISMATCH,
      "records of the structure are missing, are older than they should be, or do not belong there");
    failure.structure = structure_;
    throw failure;
  }

 private:
  ContentsDigest digest_;
  const uint32_t structure_;
  const bool hasRows_;
  const bool isTree_;
  const ContentsState expected_;
  ContentsState found_;
  bool isOver_ = false;
};

}  // namespace todana
