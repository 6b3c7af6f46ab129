// The computation of a keyspace's digest with other keys, while commits go on: it reads all records as of one commit,
// and later commits note their changes.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Session.h"

namespace todana {

// One computation. KeyMigration makes it. One thread, with no lock of the group held: chunks are read under a ReadLock.
// `digest` inside `apply`.
class DigestRekeying {
 public:
  // `conversion`: knows the keys.
  DigestRekeying(Session &session, Keyspace &keyspace, RecordConversion &conversion);
  ~DigestRekeying();
  DigestRekeying(const DigestRekeying &) = delete;
  DigestRekeying &operator=(const DigestRekeying &) = delete;

  // Called before each step; false gives up.
  using Progress = std::function<bool()>;
  // Throws Failure: TDN_DAMAGED or TDN_UNKNOWN_EPOCH where a record cannot be read; TDN_CONTENTS_MISMATCH where the
  // records are not those that were committed, which the new digest would vouch for.
  bool run(const Progress &progress);

  // Returns the digest as of the commit being applied. Throws Rebuilding::Abandoned if the records that were read were
  // removed all at once.
  KeyspaceDigest::Sum digest() const;

 private:
  void add(const tdn_chunk &chunk);

  Session &session_;
  Keyspace &keyspace_;
  RecordConversion &conversion_;
  RekeyedContents changes_;
  KeyspaceDigest digest_;
  KeyspaceDigest::Sum sum_{};
  std::shared_ptr<Snapshot> snapshot_;
  const uint64_t commitNumber_;  // that it was opened after
};

}  // namespace todana
