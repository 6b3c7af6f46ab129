// Computes what a keyspace's digest is under other keys, while commits go on: reads everything as of one commit, and has
// those that come after it note what they change.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Session.h"

namespace todana {

class DigestRekeying {
 public:
  // `conversion`: knows the keys.
  DigestRekeying(Session &session, Keyspace &keyspace, RecordConversion &conversion);
  ~DigestRekeying();
  DigestRekeying(const DigestRekeying &) = delete;
  DigestRekeying &operator=(const DigestRekeying &) = delete;

  // Called before each step; false gives up.
  using Progress = std::function<bool()>;
  // Throws Failure: TDN_DAMAGED or TDN_UNKNOWN_EPOCH where a record cannot be read; TDN_CONTENTS_MISMATCH where the records
  // are not those that were committed, which the new digest would vouch for.
  bool run(const Progress &progress);

  // Of now, in a commit. Throws Rebuilding::Abandoned where what was read is not in the keyspace any more.
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
