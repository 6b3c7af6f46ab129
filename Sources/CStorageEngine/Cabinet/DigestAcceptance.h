// The acceptance of a store's current contents as correct. The user requests it after records were lost permanently, or
// after files of different states were put together.
#pragma once

#include <memory>
#include <vector>

#include "../Rebuild/Rebuilding.h"
#include "Session.h"

namespace todana {

// One acceptance. StorageEngineVerification makes it. One thread, under Cabinet's session lock. It reads each chunk
// under a ReadLock and ends with a commit.
class DigestAcceptance {
 public:
  explicit DigestAcceptance(Session &session) : session_(session), snapshot_(session.openSnapshot()) {}
  ~DigestAcceptance() { session_.snapshots().close(snapshot_); }
  DigestAcceptance(const DigestAcceptance &) = delete;
  DigestAcceptance &operator=(const DigestAcceptance &) = delete;

  // Reads all records, as of one commit, and commits their digests. Other commits can run concurrently. Returns false
  // if `progress` gave up. Throws Failure(TDN_DAMAGED) if a record cannot be read; nothing is accepted then.
  bool run(const Rebuilding::Progress &progress);

 private:
  bool read(Keyspace &keyspace, const Rebuilding::Progress &progress);

  Session &session_;
  const std::shared_ptr<Snapshot> snapshot_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  std::vector<Commit::Acceptance> accepted_;
};

}  // namespace todana
