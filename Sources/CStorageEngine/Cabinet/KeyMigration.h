// The rotation of all keys of a store, or its encryption or decryption, while the store is in use.
//
// For each keyspace a new file is built, and one commit replaces the old file. BatchCommit converts records that
// callers sealed before that commit. An interrupted migration loses nothing: a later run rebuilds only the remaining
// keyspaces. Afterwards no file of the directory contains data under the old keys. After encrypting, none contains
// plain data.
#pragma once

#include "../Directory/StoreKeys.h"
#include "../Keyspaces/RecordConversion.h"
#include "Session.h"

namespace todana {

// One run of a migration. Cabinet makes it. One thread, under Cabinet's mutex for migrations and its session lock, with
// no lock of the group.
class KeyMigration {
 public:
  // The goal: the newest generation of the keys, or a plain store.
  enum class Goal { sealed, plain };

  KeyMigration(Session &session, StoreKeys &keys, Goal goal)
      : session_(session), keys_(keys), goal_(goal),
        keyGeneration_(goal == Goal::plain ? 0 : keys.ring()->keyGeneration()) {}

  // Throws Failure(TDN_NO_SPACE) if the disk has less room than the largest file takes. Called before the migration is
  // noted, because an unfinished one of a plain store keeps it from being used.
  static void requireRoom(Session &session);

  // Runs the migration. Returns false if `progress` gave up; a later run continues. Throws Failure: TDN_DAMAGED with
  // the record's place if a record cannot be read. Finished keyspaces stay converted.
  bool run(const Rebuilding::Progress &progress);

 private:
  void begin();
  std::vector<Keyspace *> remaining();
  static uint64_t fileSize(Session &session, Keyspace &keyspace);
  bool convert(Keyspace &keyspace);
  void letGo(uint64_t oldBytes);
  void removeReplaced();
  bool finish();
  bool goesOn(uint64_t doneInKeyspace);

  Session &session_;
  StoreKeys &keys_;
  const Goal goal_;
  const uint32_t keyGeneration_;
  Rebuilding::Progress progress_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  uint64_t keptBytes_ = 0;  // size of replaced files that the next checkpoint removes
};

}  // namespace todana
