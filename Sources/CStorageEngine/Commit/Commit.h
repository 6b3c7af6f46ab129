// What a commit of this layer changes, whatever its reason: files, the catalog, and what must be undone in memory.
//
// For inside FileGroup::commit's `apply` (or `undone`).
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

// What commits share. Belongs to the session; only one commit at a time uses it.
struct CommitState {
  FileGroup &group;
  FileTable &table;
  SnapshotList &snapshots;
  Catalog catalog;
  DigestFile states;
  HashWriter writer;
  std::shared_ptr<const KeyRing> ring;  // null in a plain store
};

class Commit {
 public:
  // May be made outside; everything else is for inside.
  explicit Commit(CommitState &state) : state_(state) {}

  CommitState &state() { return state_; }
  const CommitState &state() const { return state_; }

  // First of all.
  void begin() {
    state_.catalog.settle();
    state_.states.settle();
  }

  // The keyspace lives in another file from this commit on; the one before leaves the group.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file) {
    replaceFile(keyspace, std::move(file), keyspace.isSealed);
  }
  // `isSealed`: whether the new file belongs to an encrypted store.
  void replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed);
  // The keyspace, and its records, file, name and number, are gone from this commit on. Open snapshots go on reading it.
  void dropKeyspace(Keyspace &keyspace);
  // A keyspace that was loaded aside, in a file that the group adopts, is one of the others from this commit on. Throws
  // Failure(TDN_INVALID) if one of them has its name.
  void addKeyspace(
    Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed, const DigestEntry &contents);
  // Creates a file for the keyspace that is to hold so many records.
  std::shared_ptr<const HashFile> createFile(Keyspace &keyspace, uint64_t recordCount);

  // Tells open snapshots what the keyspace has now. Returns those that must be handed its old values.
  struct Reader {
    Snapshot *snapshot;
    SnapshotPart *part;
  };
  std::vector<Reader> snapshotReaders(Keyspace &keyspace, const std::shared_ptr<const HashFile> &file);

  // The keyspace's pool may have to be forgotten.
  void touch(Keyspace &keyspace) { touched_.push_back(&keyspace); }

  // The keyspace contains this from the commit on.
  void setContents(Keyspace &keyspace, const DigestEntry &contents);
  // Its records are gone with the file that has them: what is worked out about them elsewhere is worth nothing any more.
  void noteCleared(Keyspace &keyspace);
  // What it took out of the keyspace, and put in, as terms under other keys.
  void noteRekeyed(Keyspace &keyspace, const KeyspaceDigest::Sum &sum);

  // At the end of `apply`: writes catalog entries of keyspaces whose file was replaced, and the states. Does nothing
  // where nothing has changed.
  void finish();
  // Instead of changing and finishing: what was found in the keyspaces, as of some commit before, is what they should
  // contain, and the states belong together.
  struct Acceptance {
    Keyspace *keyspace;
    uint64_t commitNumber;   // of that commit
    DigestEntry expected;  // as of it
    DigestEntry found;
  };
  void accept(const std::vector<Acceptance> &accepted);
  // The same: catalog and states are written anew, whatever is in the keyspaces, sealed under this generation's keys, or
  // plain (0). Keyspaces that have no file yet belong to `newKeyGeneration`.
  void rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration);
  // In `undone`.
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
