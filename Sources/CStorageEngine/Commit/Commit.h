// The changes of one commit to files, the catalog and the states, with the values in memory that a rollback restores.
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

// The objects that commits share. Session owns them; one commit at a time uses them, inside `apply`. `group`, `table`
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

// One commit. BatchCommit, Session, Rebuilding and InPlaceCompaction make one each. The keyspace writers and
// KeyspaceLoader change files through it.
//
// One thread, inside FileGroup::commit's `apply` or `undone`; only the constructor may be called outside.
class Commit {
 public:
  // Makes the commit, inside or outside of `apply`.
  explicit Commit(CommitState &state) : state_(state) {}

  CommitState &state() { return state_; }
  const CommitState &state() const { return state_; }

  // Begins the commit, before any other change.
  void begin() {
    state_.catalog.settle();
    state_.states.settle();
  }

  // Replaces the keyspace's file in this commit. The old one leaves the group.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file) {
    replaceFile(keyspace, std::move(file), keyspace.isSealed);
  }
  // Replaces the file. `isSealed`: the new one belongs to an encrypted store.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed);
  // Drops the keyspace with its records, file, name and number. Open snapshots can still read it.
  void dropKeyspace(Keyspace &keyspace);
  // Adds a keyspace that was loaded separately, in a file that the group adopts. Throws Failure(TDN_INVALID) if another
  // keyspace has its name.
  void addKeyspace(
    Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed, const DigestEntry &contents);
  // Returns the keyspace's file, which is to be replaced or dropped; null if it is damaged. Throws Failure(TDN_DAMAGED)
  // in the latter case if there are open snapshots.
  std::shared_ptr<const HashFile> replacedFile(Keyspace &keyspace);
  // Creates a file with room for `recordCount` records of the keyspace.
  std::shared_ptr<const HashFile> createFile(Keyspace &keyspace, uint64_t recordCount);

  // Makes the keyspace's part in all open snapshots (Snapshot::part). Returns the snapshots that need old values of the
  // keyspace.
  struct Reader {
    Snapshot *snapshot;
    SnapshotPart *part;
  };
  std::vector<Reader> snapshotReaders(Keyspace &keyspace, const std::shared_ptr<const HashFile> &file);

  // Notes that a rollback must discard the keyspace's pool.
  void touch(Keyspace &keyspace) { touched_.push_back(&keyspace); }

  // Sets the keyspace's contents as of this commit.
  void setContents(Keyspace &keyspace, const DigestEntry &contents);
  // Notes that all records of the keyspace were removed with its file. A rebuild, rekeying or acceptance in progress
  // for it must be abandoned.
  void noteCleared(Keyspace &keyspace);
  // Notes, during key migration, the commit's change to the keyspace's digest, computed with the new keys.
  void noteRekeyed(Keyspace &keyspace, const KeyspaceDigest::Sum &sum);

  // Writes the catalog entries of keyspaces with replaced files, and the states. Called at the end of `apply`. Does
  // nothing if nothing has changed.
  void finish();
  // The contents that were found in a keyspace by reading it, as of an earlier commit.
  struct Acceptance {
    Keyspace *keyspace;
    uint64_t commitNumber;   // the number of that commit
    DigestEntry expected;  // the noted contents as of that commit
    DigestEntry found;
  };
  // Accepts the found contents as the right ones, and stores consistent states. Called instead of changes and `finish`.
  void accept(const std::vector<Acceptance> &accepted);
  // Writes the catalog and the states again, sealed under the keys of this generation, or plain if it is 0. Keyspaces
  // without a file get `newKeyGeneration`. Called instead of changes and `finish`.
  void rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration);
  // Restores the state in memory after a rollback, in `undone`.
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
  std::vector<Keyspace *> added_, removed_;  // to and from the table
};

}  // namespace todana
