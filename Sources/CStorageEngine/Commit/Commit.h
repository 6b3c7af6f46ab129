// The changes of one commit to files, the catalog and the states, and the facts in memory that a rollback restores.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "../Keyspaces/Catalog.h"
#include "../Keyspaces/FileTable.h"
#include "../Keyspaces/DigestFile.h"
#include "Batch.h"
#include "SnapshotList.h"

namespace todana {

// The objects that commits share. Session owns it; only one commit at a time uses it, inside `apply`. `group`, `table`
// and `snapshots` have locks of their own.
struct CommitState {
  FileGroup &group;
  FileTable &table;
  SnapshotList &snapshots;
  Catalog catalog;
  DigestFile states;
  HashWriter writer;
  std::shared_ptr<const KeyRing> ring;  // null in a plain store
};

// One commit. BatchCommit, Session, Rebuilding and InPlaceCompaction make one each; the keyspace writers and
// KeyspaceLoader change files through it.
//
// One thread, inside FileGroup::commit's `apply` or `undone`; only the constructor may be called outside.
class Commit {
 public:
  // Makes the commit, inside `apply` or outside.
  explicit Commit(CommitState &state) : state_(state) {}

  CommitState &state() { return state_; }
  const CommitState &state() const { return state_; }

  // Begins the commit, before any other change.
  void begin() {
    state_.catalog.settle();
    state_.states.settle();
  }

  // Replaces the keyspace's file from this commit on. The old one leaves the group.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file) {
    replaceFile(keyspace, std::move(file), keyspace.isSealed);
  }
  // Replaces the file. `isSealed`: the new one belongs to an encrypted store.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed);
  // Drops the keyspace with its records, file, name and number. Open snapshots can still read it.
  void dropKeyspace(Keyspace &keyspace);
  // Adds a keyspace that was loaded aside, in a file that the group adopts. Throws
  // Failure(TDN_INVALID) if one of them has its name.
  void addKeyspace(
    Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed, const DigestEntry &contents);
  // Creates a file for the keyspace that is to hold `recordCount` records.
  std::shared_ptr<const HashFile> createFile(Keyspace &keyspace, uint64_t recordCount);

  // Fixes the keyspace's part in open snapshots. Returns the snapshots that must be given its old values.
  struct Reader {
    Snapshot *snapshot;
    SnapshotPart *part;
  };
  std::vector<Reader> snapshotReaders(Keyspace &keyspace, const std::shared_ptr<const HashFile> &file);

  // Notes that a rollback must forget the keyspace's pool.
  void touch(Keyspace &keyspace) { touched_.push_back(&keyspace); }

  // Sets the keyspace's contents from the commit on.
  void setContents(Keyspace &keyspace, const DigestEntry &contents);
  // Notes that all records of the keyspace were removed with its file. A rebuild, rekeying or acceptance in progress
  // for it must be abandoned.
  void noteCleared(Keyspace &keyspace);
  // Notes, during key migration, the commit's change to the keyspace's digest, computed with the new keys.
  void noteRekeyed(Keyspace &keyspace, const KeyspaceDigest::Sum &sum);

  // At the end of `apply`: writes catalog entries of keyspaces whose file was replaced, and the states. Does nothing
  // where nothing has changed.
  void finish();
  // The contents of a keyspace that were found, as of an earlier commit.
  struct Acceptance {
    Keyspace *keyspace;
    uint64_t commitNumber;   // of that commit
    DigestEntry expected;  // as of it
    DigestEntry found;
  };
  // Accepts the contents that were found as the right ones, and stores consistent states. Called instead of changes and
  // `finish`.
  void accept(const std::vector<Acceptance> &accepted);
  // Writes catalog and states again, sealed under this generation's keys, or plain (0). Keyspaces that have no file yet
  // belong to `newKeyGeneration`. Called instead of changes and `finish`.
  void rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration);
  // Restores memory after a rollback, in `undone`.
  void undo();

 private:
  void storeAllStates(uint32_t keyGeneration);

  CommitState &state_;
  std::vector<std::shared_ptr<Snapshot>> snapshots_;
  bool hasSnapshots_ = false;
  std::vector<Keyspace *> touched_;
  struct Replacement {
    Keyspace *keyspace;
    std::shared_ptr<const HashFile> oldFile;
    uint32_t oldNumber;
    bool wasSealed;
  };
  std::vector<Replacement> replacements_;
  std::vector<std::pair<Keyspace *, DigestEntry>> undoContents_;
  std::vector<std::pair<Keyspace *, uint64_t>> undoClearings_;
  std::vector<std::pair<Keyspace *, KeyspaceDigest::Sum>> rekeyedSums_;
  std::vector<Keyspace *> added_, removed_;  // from or to the table
};

}  // namespace todana
