#include "DigestCheck.h"

#include "../Disk/Failure.h"

namespace todana {

KeyspaceDigestSum::KeyspaceDigestSum(const KeyRing *ring, uint32_t keyGeneration, const Keyspace &keyspace)
    : digest_(ring, keyGeneration, keyspace.id), hasRows_(keyspace.hasRows()), isTree_(keyspace.isTree()) {}

bool KeyspaceDigestSum::add(const tdn_chunk &chunk) {
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

DigestEntry KeyspaceDigestSum::take() {
  DigestEntry state;
  state.count = count_;
  state.digest = digest_.take();
  state.keyGeneration = digest_.keyGeneration();
  return state;
}

DigestCheck::DigestCheck(
  const KeyRing *ring, const Keyspace &keyspace, const DigestEntry &expected, bool isKnown)
    : sum_(ring, expected.keyGeneration, keyspace), keyspace_(keyspace.id), isKnown_(isKnown), expected_(expected) {}

void DigestCheck::add(const tdn_chunk &chunk) {
  if (isOver_) return;
  if (!sum_.add(chunk)) return giveUp();
  if (chunk.slice_count > 0 || chunk.needed > 0) return;
  isOver_ = true;
  if (isKnown_ && sum_.take() == expected_) return;
  Failure failure(
    TDN_CONTENTS_MISMATCH,
    isKnown_ ? "records of the keyspace are missing or outdated, or do not belong to it"
             : "missing records cannot be detected, as some files of the store are older than others");
  failure.keyspace = keyspace_;
  throw failure;
}

}  // namespace todana
