// The loading of a new keyspace, separately from the others and in bounded steps, until a batch adopts it.
//
// The records go to a building file, without the log. No commit contains any of them before the one with TDN_ADOPT,
// which is small for any number of records. Without that commit the file is removed with the loader or, after a kill,
// by the next opening.
#pragma once

#include <exception>

#include "Commit.h"

namespace todana {

// The loading of one keyspace. Session makes it and appends; FileTable keeps it; BatchCommit adopts the keyspace.
//
// Any thread: its mutex admits one call at a time. `adopt` takes it inside `apply`.
class KeyspaceLoader {
 public:
  // `keyspace`: one of the table's loading keyspaces. `recordCount`: the estimated number of its records.
  KeyspaceLoader(CommitState &state, Keyspace &keyspace, uint64_t recordCount);
  KeyspaceLoader(const KeyspaceLoader &) = delete;
  KeyspaceLoader &operator=(const KeyspaceLoader &) = delete;

  // Puts records, whose keys follow those of all earlier calls. Throws Failure: TDN_INVALID for other changes, for
  // another order, or after `finish`. Any other failure ends the loading: later calls throw it again.
  void append(const tdn_batch &batch);
  // Makes the records durable. No record can be appended afterwards.
  void finish();

  // Inside `apply`: adds the keyspace to the others. Throws Failure: TDN_INVALID before `finish`, or if the name is in
  // use. Throws TDN_INTERRUPTED if the store's keys were renewed since the loading began.
  void adopt(Commit &commit);

 private:
  void check(const Batch &batch) TDN_REQUIRES(mutex_);
  void put(Batch &batch, const BatchRun &run) TDN_REQUIRES(mutex_);
  void putRows(const Batch &batch, const BatchRun &run) TDN_REQUIRES(mutex_);
  void putNames(const Batch &batch, const BatchRun &run) TDN_REQUIRES(mutex_);
  void putEntries(const Batch &batch, const BatchRun &run) TDN_REQUIRES(mutex_);
  uint64_t nextRow() const TDN_REQUIRES(mutex_) { return keyspace_.hasRows() ? nextRow_ : 0; }
  void throwIfFailed() TDN_REQUIRES(mutex_);
  void noteFailure() TDN_REQUIRES(mutex_);

  CommitState &state_;
  Keyspace &keyspace_;
  const bool isSealed_;

  Mutex mutex_;
  std::shared_ptr<const HashFile> file_ TDN_GUARDED_BY(mutex_);
  HashWriter writer_ TDN_GUARDED_BY(mutex_);
  FreeBlockPool pool_ TDN_GUARDED_BY(mutex_);
  KeyspaceDigest digest_ TDN_GUARDED_BY(mutex_);
  DigestEntry contents_ TDN_GUARDED_BY(mutex_);
  uint64_t nextRow_ TDN_GUARDED_BY(mutex_) = 1;
  std::string lastKey_ TDN_GUARDED_BY(mutex_);
  bool isFinished_ TDN_GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ TDN_GUARDED_BY(mutex_);  // set when the file is only partly written
};

}  // namespace todana
