// One opening of a cabinet: from the recovery of its files to their closing, or to a failure that calls for reopening.
#pragma once

#include <memory>
#include <string_view>

#include "../Commit/Commit.h"
#include "../Commit/SnapshotList.h"
#include "../Disk/Mutex.h"
#include "../Keyspaces/Catalog.h"
#include "../Keyspaces/FileTable.h"
#include "../Pages/FileGroup.h"
#include "../Rebuild/Maintenance.h"
#include "../Snapshots/ChunkWriter.h"
#include "../Snapshots/TreeEstimate.h"
#include "../include/StorageEngineCommit.h"
#include "../include/StorageEngineMaintenance.h"
#include "../include/StorageEngineOpening.h"

namespace todana {

// An open session. It owns the group, the table of files, and the objects that commits share.
//
// Cabinet owns it; the C interface, KeyMigration, DigestAcceptance, DigestRekeying and WholeScan call it. Any thread
// under Cabinet's door, with no lock of the group held, as functions take those themselves. It is made, closed and
// destroyed while the door is held alone, or before another thread has the cabinet.
class Session {
 public:
  // `ring`: the keys of an encrypted store; `mayBePlain`: not all of it is encrypted yet, or any more.
  Session(
    Disk &disk, const tdn_options &options, std::shared_ptr<const KeyRing> ring, bool mayBePlain,
    FileGroup::Report &report);
  // Forgets the state that is only in memory, unless `close` was called.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  void close();

  FileGroup &group() { return *group_; }
  FileTable &table() { return *table_; }
  SnapshotList &snapshots() { return snapshots_; }
  // Returns the keys; null in a plain store.
  const KeyRing *keyRing() const { return keyRing_.load(std::memory_order_acquire); }
  CommitState &commitState() { return *commitState_; }
  Maintenance &maintenance() { return *maintenance_; }
  bool statesAreConsistent() const { return commitState_->states.isConsistent(); }
  // Called before each operation that would make them consistent. Throws Failure(TDN_CONTENTS_MISMATCH) if they are
  // not.
  void requireConsistentStates() const;

  // Whose records the files hold, which says which of them are sound on damaged pages. Before any are read.
  void setStoreID(const StoreID &storeID) { table_->setStoreID(storeID); }
  // How a new key is made for what will be sealed from then on, in an encrypted store.
  void setEpochMaker(std::function<void()> makeEpoch) { makeEpoch_ = std::move(makeEpoch); }

  // -- Keyspaces
  struct KeyspaceInfo {
    uint32_t id;
    int32_t kind;
    std::string name;
  };
  std::vector<KeyspaceInfo> keyspaces();
  uint64_t count(uint32_t keyspace);
  uint64_t reserveRows(uint32_t keyspace, uint64_t count);

  // -- Committing
  // Throws Conflict; then `conflicts` says which changes. Damaged pages with one wrong bit that the batch meets are
  // repaired by the same commit.
  uint64_t commit(const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts);

  // -- Loading keyspaces aside
  // Returns the number of the new keyspace. It is no keyspace of the store before a batch adopts it.
  uint32_t beginLoading(int32_t kind, const std::string &name, uint64_t recordCount);
  bool isLoading(uint32_t keyspace) { return table_->isLoading(keyspace); }
  void load(uint32_t keyspace, const tdn_batch &batch);
  void finishLoading(uint32_t keyspace);
  // Gives up the loading, if the keyspace was not adopted.
  void endLoading(uint32_t keyspace) { table_->endLoading(keyspace); }

  // -- Reading
  // `atOnce` is called before any commit can come in between.
  std::shared_ptr<Snapshot> openSnapshot(const std::function<void()> &atOnce = {}) {
    return snapshots_.open(*group_, snapshotLimit_, keyRing() != nullptr, atOnce);
  }
  uint64_t snapshotCount(Snapshot &snapshot, uint32_t keyspace);
  uint64_t snapshotRowBound(Snapshot &snapshot, uint32_t keyspace);
  // About how many records of a tree lie within the range; in the newest committed state, where there is no snapshot.
  uint64_t estimateRange(Snapshot *snapshot, uint32_t keyspace, const KeyRange &range);
  // The part that a scan goes through.
  SnapshotPart &snapshotPart(Snapshot &snapshot, Keyspace &keyspace);
  // The keyspace of a read: of the newest state, or of a snapshot, which goes on reading one that was dropped since.
  // Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspace(Snapshot *snapshot, uint32_t id);
  // Returns the keyspace of a read. Throws also Failure(TDN_INVALID) if it is of another kind.
  Keyspace &keyspace(Snapshot *snapshot, uint32_t id, bool isTree);
  void getRows(Snapshot *snapshot, uint32_t keyspace, const uint64_t *rows, size_t rowCount, ChunkWriter &chunk);
  void getKey(Snapshot *snapshot, uint32_t keyspace, std::string_view key, ChunkWriter &chunk);

  // The newest commit, once it is durable.
  tdn_anchor anchor();
  // Gives a plain store keys. Its content stays plain.
  void setKeys(const std::shared_ptr<const KeyRing> &ring);
  // Writes catalog and states anew, sealed under this generation's keys or plain (0). Keyspaces without a file belong
  // to `newKeyGeneration`.
  void rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration);
  // Returns the generation of the keys of the root.
  uint32_t statesKeyGeneration();
  // Commits the states and nothing else.
  void commitStates();
  bool isClosing() const { return !maintenance_ || maintenance_->isStopping(); }
  // Commits accepted contents.
  void accept(const std::vector<Commit::Acceptance> &accepted);

  // Rebuilds the keyspace's file if it would become shorter. False if it would not, or `progress` gave up.
  bool compact(uint32_t keyspace, const Rebuilding::Progress &progress);

  struct Space {
    uint64_t fileBytes = 0;
    uint64_t neededBytes = 0;
  };
  // Returns the length of the keyspace's file, and its length after a rebuild. Throws Failure(TDN_INTERRUPTED).
  Space space(uint32_t keyspace, const Rebuilding::Progress &progress);

  // Checks up to TDN_VERIFIED_PAGES pages of a keyspace's main file.
  FileGroup::Verified verifyPart(uint32_t keyspace, int64_t firstPage, std::string &fileName);

  tdn_statistics statistics();

 private:
  // Damaged pages that one call repairs at most.
  static constexpr int kMostRepairs = 64;

  uint64_t tryCommit(const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts);
  bool repair(const Failure &failure);
  // Calls `body`, and again after each damaged page that stopped it and could be repaired.
  template <class Body> decltype(std::declval<Body>()()) repairing(Body body) {
    for (int count = 0;; count++) {
      try {
        return body();
      } catch (const Failure &failure) {
        if (count == kMostRepairs || failure.code != TDN_DAMAGED || !repair(failure)) throw;
      }
    }
  }
  uint64_t countIn(const Keyspace &keyspace, const HashFile *file);
  void loadNextRow(Keyspace &keyspace);
  void storeState();
  void countSeals();

  const int64_t snapshotLimit_;
  const uint64_t sealLimit_;
  const bool isReadOnly_;
  // Destroyed in reverse: first the users of files, then the files, then the group.
  std::unique_ptr<FileGroup> group_;
  SnapshotList snapshots_;
  std::unique_ptr<FileTable> table_;
  std::unique_ptr<CommitState> commitState_;
  std::unique_ptr<Maintenance> maintenance_;
  std::atomic<const KeyRing *> keyRing_{nullptr};  // the commit state's, which lives as long as the session
  Mutex epochMutex_;
  std::function<void()> makeEpoch_;
};

}  // namespace todana
