// The computation of a keyspace's digest with other keys, concurrently with commits. It reads all records as of one
// commit; later commits add their own changes.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Session.h"

namespace todana {

// One computation. KeyMigration makes it. One thread, with no lock of the group held: chunks are read under a ReadLock.
// `digest` inside `apply`.
class DigestRekeying {
 public:
  // `conversion`: provides the keys.
  DigestRekeying(Session &session, Keyspace &keyspace, RecordConversion &conversion);
  ~DigestRekeying();
  DigestRekeying(const DigestRekeying &) = delete;
  DigestRekeying &operator=(const DigestRekeying &) = delete;

  // Called before each step. Returns false to give up.
  using Progress = std::function<bool()>;
  // Computes the digest. Returns false if `progress` gave up. Throws Failure: TDN_DAMAGED or TDN_UNKNOWN_EPOCH if a
  // record cannot be read. Throws TDN_CONTENTS_MISMATCH if the records are not those that were committed, so that the
  // new digest does not confirm wrong ones.
  bool run(const Progress &progress);

  // Returns the digest as of the commit being applied. Throws Rebuilding::Abandoned if a commit has removed all records
  // since.
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
  const uint64_t commitNumber_;  // the commit that the snapshot shows
};

}  // namespace todana
