// The comparison of all records of a keyspace, as a scan reads them, with the digest that commits have stored.
#pragma once

#include "../Keyspaces/Keyspace.h"
#include "../Snapshots/KeyspaceDigest.h"
#include "../include/StorageEngineReading.h"

namespace todana {

// The digest of the records of a keyspace that were read so far. DigestCheck owns one; DigestAcceptance and
// DigestRekeying make one. One thread, without a lock.
class KeyspaceDigestSum {
 public:
  // `ring`: null in a plain store. `keyGeneration`: the generation of the keys that compute the digest.
  KeyspaceDigestSum(const KeyRing *ring, uint32_t keyGeneration, const Keyspace &keyspace);

  // Adds the records of a chunk. Returns false if one of them cannot be read.
  bool add(const tdn_chunk &chunk);
  DigestEntry take();

 private:
  KeyspaceDigest digest_;
  const bool hasRows_;
  const bool isTree_;
  uint64_t count_ = 0;
};

// The check of one scan. It compares the digest of the scanned records with the expected one when the scan ends.
//
// A `tdn_scan` of a whole keyspace owns it, and adds each chunk after the ReadLock was released. One thread at a time.
class DigestCheck {
 public:
  // `isKnown` false: the expected state is not known, so the comparison fails.
  DigestCheck(const KeyRing *ring, const Keyspace &keyspace, const DigestEntry &expected, bool isKnown);

  // Cancels the comparison. Call it if the scan skipped a record.
  void giveUp() { isOver_ = true; }

  // Adds the records of one call of the scan. At the end of the scan, throws Failure(TDN_CONTENTS_MISMATCH) once if the
  // records are not those that were committed.
  void add(const tdn_chunk &chunk);

 private:
  KeyspaceDigestSum sum_;
  const uint32_t keyspace_;
  const bool isKnown_;
  const DigestEntry expected_;
  bool isOver_ = false;
};

}  // namespace todana
