// One opening of a cabinet: from the recovery of its files to their closing, or to a failure after which it must be
// reopened.
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

// An open session. It owns the file group, the table of files, and the objects that commits share.
//
// Cabinet owns it. The C interface, KeyMigration, DigestAcceptance, DigestRekeying and WholeScan call it. Any thread,
// under Cabinet's session lock, and with no lock of the group held, because functions take those themselves. To
// construct, close or destroy a session, Cabinet holds the session lock exclusively, or is not known to other threads
// yet.
class Session {
 public:
  // `ring`: the keys of an encrypted store, or null. `mayBePlain`: a part of the store is not encrypted, because a
  // migration is unfinished. `leastCommit`: a commit that the files must have; otherwise throws
  // Failure(TDN_ROLLED_BACK).
  Session(
    Disk &disk, const tdn_options &options, std::shared_ptr<const KeyRing> ring, bool mayBePlain,
    FileGroup::Report &report, uint64_t leastCommit = 0);
  // Discards the state that is only in memory, unless `close` was called.
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
  // Throws Failure(TDN_CONTENTS_MISMATCH) if the states are inconsistent. Called before each operation that would make
  // them look consistent.
  void requireConsistentStates() const;

  // Sets the store's id, by which records on damaged pages are recognized. Call it before any record is read.
  void setStoreID(const StoreID &storeID) { table_->setStoreID(storeID); }
  // Sets the function that makes a new key for later seals in an encrypted store.
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
  // Commits a batch. On Conflict, `conflicts` has the indexes of the conflicting changes. Damaged pages with one wrong
  // bit that the batch meets are repaired first.
  uint64_t commit(const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts);

  // -- Loading new keyspaces
  // Begins to load a keyspace, and returns its id. The keyspace does not belong to the store until a batch adopts it.
  uint32_t beginLoading(int32_t kind, const std::string &name, uint64_t recordCount);
  bool isLoading(uint32_t keyspace) { return table_->isLoading(keyspace); }
  void load(uint32_t keyspace, const tdn_batch &batch);
  void finishLoading(uint32_t keyspace);
  // Gives up the loading, if the keyspace was not adopted.
  void endLoading(uint32_t keyspace) { table_->endLoading(keyspace); }

  // -- Reading
  // Opens a snapshot. Calls `atOnce` before any other commit can be applied.
  std::shared_ptr<Snapshot> openSnapshot(const std::function<void()> &atOnce = {}) {
    return snapshots_.open(*group_, keyRing() != nullptr, atOnce);
  }
  uint64_t snapshotCount(Snapshot &snapshot, uint32_t keyspace);
  uint64_t snapshotRowBound(Snapshot &snapshot, uint32_t keyspace);
  // Estimates the number of a tree's records within the range. Without a snapshot, uses the newest committed state.
  uint64_t estimateRange(Snapshot *snapshot, uint32_t keyspace, const KeyRange &range);
  // Returns the part of the snapshot that a scan of the keyspace reads.
  SnapshotPart &snapshotPart(Snapshot &snapshot, Keyspace &keyspace);
  // Returns the keyspace to read, with or without a snapshot. A snapshot can still read a keyspace that was dropped
  // after the snapshot was opened. Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspace(Snapshot *snapshot, uint32_t id);
  // Returns the keyspace to read, as above. Also throws Failure(TDN_INVALID) if it is a tree and `isTree` is false, or
  // the reverse.
  Keyspace &keyspace(Snapshot *snapshot, uint32_t id, bool isTree);
  void getRows(Snapshot *snapshot, uint32_t keyspace, const uint64_t *rows, size_t rowCount, ChunkWriter &chunk);
  void getKey(Snapshot *snapshot, uint32_t keyspace, std::string_view key, ChunkWriter &chunk);

  // Returns the newest commit as an anchor, after making it durable.
  tdn_anchor anchor();
  // Sets the keys of a plain store that will be encrypted. Existing content stays plain for now.
  void setKeys(const std::shared_ptr<const KeyRing> &ring);
  // Writes the catalog and the states again, sealed under the keys of `keyGeneration`, or plain if it is 0. Keyspaces
  // without a file get `newKeyGeneration`.
  void rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration);
  // Returns the generation of the keys that seal the root of the states.
  uint32_t statesKeyGeneration();
  // Commits the root of the states, and nothing else.
  void commitStates();
  bool isClosing() const { return !maintenance_ || maintenance_->isStopping(); }
  // Commits accepted contents as the right ones.
  void accept(const std::vector<Commit::Acceptance> &accepted);

  // Compacts the keyspace's file if it would become shorter. Returns false if it would not, or if `progress` gave up.
  bool compact(uint32_t keyspace, const Rebuilding::Progress &progress);

  struct Space {
    uint64_t fileBytes = 0;
    uint64_t neededBytes = 0;
  };
  // Estimates the length of the keyspace's file, now and after a rebuild. Throws Failure(TDN_INTERRUPTED).
  Space space(uint32_t keyspace, const Rebuilding::Progress &progress);

  // Checks up to TDN_VERIFIED_PAGES pages of a keyspace's main file.
  FileGroup::Verified verifyPart(uint32_t keyspace, int64_t firstPage, std::string &fileName);

  tdn_statistics statistics();

 private:
  // The maximum number of damaged pages that one call repairs.
  static constexpr int kMostRepairs = 64;

  uint64_t tryCommit(
    const tdn_batch &batch, FileGroup::Durability durability, bool mayUseReserve, std::vector<uint64_t> &conflicts);
  bool repair(const Failure &failure);
  // Calls `body`. Repeats the call after each damaged page that stopped it and was repaired.
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

  const uint64_t sealLimit_;
  const bool isReadOnly_;
  // Destroyed in reverse order: first the users of files, then the files, then the group.
  std::unique_ptr<FileGroup> group_;
  SnapshotList snapshots_;
  std::unique_ptr<FileTable> table_;
  std::unique_ptr<CommitState> commitState_;
  std::unique_ptr<Maintenance> maintenance_;
  std::atomic<const KeyRing *> keyRing_{nullptr};  // owned by the commit state until the session ends
  Mutex epochMutex_;
  std::function<void()> makeEpoch_;
};

}  // namespace todana
