// The filling of a new keyspace aside, in bounded steps, until a batch adopts it.
//
// The records go into a building file, past the log: nothing of them is in a commit before the one with TDN_ADOPT,
// which is small however many they are. Without that commit the file is removed with the loader, or by the next opening
// after a kill.
#pragma once

#include <exception>

#include "Commit.h"

namespace todana {

// The loading of one keyspace. Session makes it and appends; FileTable keeps it; BatchCommit adopts the keyspace.
//
// Any thread: its mutex lets one call run at a time. `adopt` takes it inside `apply`.
class KeyspaceLoader {
 public:
  // `keyspace` is one of the table's that are loaded. `recordCount`: about how many there will be.
  KeyspaceLoader(CommitState &state, Keyspace &keyspace, uint64_t recordCount);
  KeyspaceLoader(const KeyspaceLoader &) = delete;
  KeyspaceLoader &operator=(const KeyspaceLoader &) = delete;

  // Puts records, whose keys come after those of all earlier calls. Throws Failure: TDN_INVALID for other changes or
  // another order, and once `finish` was called. Any other failure ends the loading: later calls throw it again.
  void append(const tdn_batch &batch);
  // Makes the records durable. Nothing can be appended afterwards.
  void finish();

  // Inside `apply`: adds the keyspace to the others. Throws Failure: TDN_INVALID before `finish`, or if the name is
  // taken; TDN_INTERRUPTED if the store's keys were renewed since the loading began.
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
  std::exception_ptr failure_ TDN_GUARDED_BY(mutex_);  // after it the file is half written
};

}  // namespace todana
