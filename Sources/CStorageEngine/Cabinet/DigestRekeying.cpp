#include "DigestRekeying.h"

#include "DigestCheck.h"
#include "WholeScan.h"

namespace todana {

DigestRekeying::DigestRekeying(Session &session, Keyspace &keyspace, RecordConversion &conversion)
    : session_(session), keyspace_(keyspace), conversion_(conversion),
      changes_(session.keyRing(), conversion.keyGeneration(), keyspace.id),
      digest_(session.keyRing(), conversion.keyGeneration(), keyspace.id),
      snapshot_(session.openSnapshot([this] { keyspace_.rekeyed = &changes_; })),
      commitNumber_(snapshot_->commitNumber()) {}

DigestRekeying::~DigestRekeying() {
  session_.snapshots().close(snapshot_);
  // Taking the lock fails if the session has ended, but then there are no further commits.
  try {
    FileGroup::ReadLock lock(session_.group());
    keyspace_.rekeyed = nullptr;
  } catch (const Failure &) {
    keyspace_.rekeyed = nullptr;
  }
}

bool DigestRekeying::run(const Progress &progress) {
  {
    WholeScan scan(session_, *snapshot_, keyspace_);
    const DigestEntry &expected = scan.part().contents;
    KeyspaceDigestSum found(session_.keyRing(), expected.keyGeneration, keyspace_);
    while (const tdn_chunk *chunk = scan.next()) {
      if (!progress()) return false;
      add(*chunk);
      found.add(*chunk);
    }
    if (found.take() != expected) {
      Failure failure(
        TDN_CONTENTS_MISMATCH,
        "records of the keyspace are missing or outdated, or do not belong to it: first accept its contents, or "
        "restore a backup");
      failure.keyspace = keyspace_.id;
      throw failure;
    }
  }
  sum_ = digest_.take();
  // Commits no longer need to keep old values.
  session_.snapshots().close(snapshot_);
  return true;
}

void DigestRekeying::add(const tdn_chunk &chunk) {
  const char *bytes = reinterpret_cast<const char *>(chunk.bytes);
  for (size_t index = 0; index < chunk.slice_count; index++) {
    const tdn_slice &slice = chunk.slices[index];
    if (slice.status != TDN_FOUND) {
      Failure failure(TDN_DAMAGED, "a record of the keyspace cannot be read");
      failure.keyspace = keyspace_.id;
      failure.hasRow = keyspace_.hasRows();
      failure.row = slice.row;
      throw failure;
    }
    const std::string_view value(bytes + slice.offset, slice.length);
    if (keyspace_.hasRows()) {
      digest_.toggleRow(slice.row, recordToken(value.data(), value.size()));
      continue;
    }
    const std::string_view key(value.data() - slice.key_length, slice.key_length);
    if (keyspace_.isTree()) {
      digest_.toggleEntry(key, value);
    } else {
      digest_.toggleKey(conversion_.keyOf(keyspace_, key, value), recordToken(value.data(), value.size()));
    }
  }
}

KeyspaceDigest::Sum DigestRekeying::digest() const {
  if (keyspace_.clearedBy > commitNumber_) throw Rebuilding::Abandoned();
  KeyspaceDigest::Sum sum = sum_;
  for (size_t index = 0; index < sum.size(); index++) sum[index] ^= changes_.sum[index];
  return sum;
}

}  // namespace todana
