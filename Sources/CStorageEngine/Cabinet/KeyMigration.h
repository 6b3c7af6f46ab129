// The renewal of all keys of a store, or its encryption or decryption, while it is in use.
//
// One keyspace after the other is rebuilt into a new file, and changes over in one commit; what callers sealed before
// that is converted as it comes in (BatchCommit). What is done stays done: after an interruption, or a kill, only the
// keyspaces that are left are rebuilt. At the end nothing is left of the old keys, or of what was plain, in any file of
// the directory.
#pragma once

#include "../Directory/StoreKeys.h"
#include "../Keyspaces/RecordConversion.h"
#include "Session.h"

namespace todana {

// One run of a migration. Cabinet makes it. One thread, under Cabinet's mutex for migrations and its door, with no lock
// of the group.
class KeyMigration {
 public:
  // The goal: the newest generation of the keys, or a plain store.
  enum class Goal { sealed, plain };

  KeyMigration(Session &session, StoreKeys &keys, Goal goal)
      : session_(session), keys_(keys), goal_(goal),
        keyGeneration_(goal == Goal::plain ? 0 : keys.ring()->keyGeneration()) {}

  // Runs the migration. Returns false if `progress` gave up; a later run continues. Throws Failure: TDN_DAMAGED where a
  // record cannot be read, with its place; nothing that was done before is lost.
  bool run(const Rebuilding::Progress &progress);

 private:
  void begin();
  std::vector<Keyspace *> remaining();
  uint64_t fileSize(Keyspace &keyspace);
  bool convert(Keyspace &keyspace);
  void letGo(uint64_t oldBytes);
  bool finish();
  bool goesOn(uint64_t doneInKeyspace);

  Session &session_;
  StoreKeys &keys_;
  const Goal goal_;
  const uint32_t keyGeneration_;
  Rebuilding::Progress progress_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  uint64_t keptBytes_ = 0;  // of files that were replaced, and are there until the next checkpoint
};

}  // namespace todana
