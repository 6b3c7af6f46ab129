// The application of a caller's batch. First every expectation is checked, then the records are changed.
#pragma once

#include "KeyspaceWriter.h"

namespace todana {

// The commit of one batch, which changes nothing if an expectation is not met. Session makes one for each attempt.
//
// One thread; `apply` and `undo` under the commit mutex, with readers excluded.
class BatchCommit {
 public:
  BatchCommit(CommitState &state, Batch &batch) : commit_(state), batch_(batch), expectations_(batch) {}

  // Applies the batch, inside FileGroup::commit's `apply`. Throws Conflict if an expectation is not met, or Failure
  // with the keyspace.
  void apply();
  // Undoes the changes in memory, in FileGroup::commit's `undone`.
  void undo() { commit_.undo(); }

  // Returns the indexes of the changes whose expectations were not met.
  std::vector<uint64_t> conflicts() const { return expectations_.conflicts(); }
  // Returns the keyspaces whose files need a check by Maintenance.
  const std::vector<Keyspace *> &needy() const { return needy_; }

 private:
  void check();
  void dropKeyspaces();
  void writeRecords();
  void adoptKeyspaces();
  template <class Body> static void onKeyspace(const Keyspace &keyspace, Body body);

  Commit commit_;
  Batch &batch_;
  Expectations expectations_;
  std::vector<std::unique_ptr<KeyspaceWriter>> writers_;  // for runs that do not drop or adopt
  std::vector<Keyspace *> needy_;
};

}  // namespace todana
