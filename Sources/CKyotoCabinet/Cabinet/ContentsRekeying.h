// Computes what a structure's digest is under other keys, while commits go on: reads everything as of one commit, and has
// those that come after it note what they change.
#pragma once

#include "RecordConversion.h"
#include "Session.h"

namespace todana {

class ContentsRekeying {
 public:
  // `conversion`: knows the keys. Thrown where a record cannot be read: Failure(TDN_DAMAGED, TDN_UNKNOWN_EPOCH).
  ContentsRekeying(Session &session, Structure &structure, RecordConversion &conversion);
  ~ContentsRekeying();
  ContentsRekeying(const ContentsRekeying &) = delete;
  ContentsRekeying &operator=(const ContentsRekeying &) = delete;

  // Called before each step; false gives up.
  using Progress = std::function<bool()>;
  bool run(const Progress &progress);

  // Of now, in a commit.
  ContentsDigest::Sum digest() const;

 private:
  void add(const tdn_chunk &chunk);

  Session &session_;
  Structure &structure_;
  RecordConversion &conversion_;
  RekeyedContents changes_;
  ContentsDigest digest_;
  ContentsDigest::Sum sum_{};
  std::shared_ptr<Snapshot> snapshot_;
};

}  // namespace todana
