#include "ContentsCheck.h"

#include "../Disk/Failure.h"

namespace todana {

ContentsSum::ContentsSum(const KeyRing *ring, uint32_t generation, const Keyspace &keyspace)
    : digest_(ring, generation, keyspace.id), hasRows_(keyspace.hasRows()), isTree_(keyspace.isTree()) {}

bool ContentsSum::add(const tdn_chunk &chunk) {
  const char *bytes = reinterpret_cast<const char *>(chunk.bytes);
  for (size_t index = 0; index < chunk.slice_count; index++) {
    const tdn_slice &slice = chunk.slices[index];
    if (slice.status != TDN_FOUND) return false;
    const char *value = bytes + slice.offset;
    if (hasRows_) {
      digest_.toggleRow(slice.row, recordToken(value, slice.length));
      continue;
    }
    const std::string_view key(value - slice.key_length, slice.key_length);
    if (isTree_) {
      digest_.toggleEntry(key, {value, slice.length});
    } else {
      digest_.toggleKey(key, recordToken(value, slice.length));
    }
  }
  count_ += chunk.slice_count;
  return true;
}

ContentsState ContentsSum::take() {
  ContentsState state;
  state.count = count_;
  state.digest = digest_.take();
  state.generation = digest_.generation();
  return state;
}

ContentsCheck::ContentsCheck(
  const KeyRing *ring, const Keyspace &keyspace, const ContentsState &expected, bool isKnown)
    : sum_(ring, expected.generation, keyspace), keyspace_(keyspace.id), isKnown_(isKnown), expected_(expected) {}

void ContentsCheck::add(const tdn_chunk &chunk) {
  if (isOver_) return;
  if (!sum_.add(chunk)) return giveUp();
  if (chunk.slice_count > 0 || chunk.needed > 0) return;
  isOver_ = true;
  if (isKnown_ && sum_.take() == expected_) return;
  Failure failure(
    TDN_CONTENTS_MISMATCH,
    isKnown_ ? "records of the keyspace are missing, are older than they should be, or do not belong there"
             : "whether records are missing cannot be told: files of the store are older or newer than others");
  failure.keyspace = keyspace_;
  throw failure;
}

}  // namespace todana
