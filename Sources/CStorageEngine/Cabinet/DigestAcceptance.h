// Takes what a store's files hold for what they should: after records were lost for good, or files were put together
// that are not of one state, and somebody has looked at what is left.
#pragma once

#include <memory>
#include <vector>

#include "../Rebuild/Rebuilding.h"
#include "Session.h"

namespace todana {

class DigestAcceptance {
 public:
  explicit DigestAcceptance(Session &session) : session_(session), snapshot_(session.openSnapshot()) {}
  ~DigestAcceptance() { session_.snapshots().close(snapshot_); }
  DigestAcceptance(const DigestAcceptance &) = delete;
  DigestAcceptance &operator=(const DigestAcceptance &) = delete;

  // Reads everything, as of one commit, and commits what is there. Other commits go on meanwhile. False where `progress`
  // gave up. Throws Failure(TDN_DAMAGED) where a record cannot be read; nothing is accepted then.
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
