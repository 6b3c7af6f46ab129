// The digest file: the states of all keyspaces as of the newest commit, and a root over them. It is a data file that
// every commit changes (docs/formats/states.md).
//
// With a keyspace's state, a scan checks whether it has read the committed records. The root shows whether the states,
// the catalog and the list of last commits belong together. It also confirms anchors.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../CSealing/Sealer.h"
#include "../Pages/FileGroup.h"
#include "../Snapshots/KeyspaceDigest.h"
#include "../include/StorageEngineOpening.h"
#include "Keyspace.h"

namespace todana {

// The open digest file. CommitState owns it; Session opens and loads it; Commit stores the states of changed keyspaces.
//
// One thread at a time: the opening thread, then the committing thread inside `apply`. Session calls `keyGeneration`
// and `anchor` under a ReadLock. Functions marked `Any thread` need no lock.
class DigestFile {
 public:
  static constexpr uint32_t kFileNumber = 0;
  static constexpr const char *kFileName = "0000-states.tds";
  // The number of commits, up to and including the newest one, that an anchor may name. If a copy of the store has made
  // other commits under these numbers, the anchor detects it.
  static constexpr uint64_t kHistory = 1000;

  explicit DigestFile(const std::shared_ptr<const KeyRing> &ring = nullptr) { setKeys(ring); }
  // Sets the keys of a plain store that will be encrypted. The next `storeAll` uses them.
  void setKeys(const std::shared_ptr<const KeyRing> &ring);

  // Opens the file, before any other call. Throws Failure(TDN_DAMAGED) if it cannot be read. `mayBePlain`: accepts a
  // plain file although there are keys.
  void open(FileGroup &group, bool mayBePlain);
  // Returns the generation of the keys that seal the states and the catalog; 0: plain.
  uint32_t keyGeneration() const { return root_.keyGeneration; }
  // Loads the states (counts and digests) of the keyspaces. Files that belong to different commits cause no error here:
  // a scan of all records reports them.
  void load(FileGroup &group, const std::vector<Keyspace *> &keyspaces);
  // Returns false if a file is older or newer than the others, or was written without the keys. Any thread.
  bool isConsistent() const { return isConsistent_; }

  // Discards the undo state of the previous commit. Called at the start of each commit.
  void settle();
  // Inside `apply`, as the last change: stores the states of keyspaces with changed contents or files.
  void store(FileGroup &group, const std::vector<Keyspace *> &changed) { store(group, changed, true); }
  // Inside `apply`: stores the root of a closed session. Needed if `mustBeClosed` returns true.
  void storeClosed(FileGroup &group);
  bool mustBeClosed() const { return isSealed() && root_.isOpen; }
  // Inside `apply`: stores the states of all keyspaces as the right ones, sealed under the keys of this generation.
  void storeAll(FileGroup &group, const std::vector<Keyspace *> &keyspaces, uint32_t keyGeneration);
  // Restores the state before a commit that was rolled back.
  void undo();

  // -- Seals. They are counted, because after too many seals under one key a repeated nonce would become likely.
  // Tests whether so many seals may be uncounted since the last commit that their count must be stored first. Any
  // thread.
  bool hasUncountedSeals() const;
  // Tests whether the current key has made `limit` seals. Any thread.
  bool needsNewEpoch(uint64_t limit) const { return isSealed() && sealer_->ring().sealCount() >= limit; }

  // -- Anchors
  tdn_anchor anchor(const FileGroup &group);
  // Checks the store against an anchor. Throws Failure: TDN_ROLLED_BACK, TDN_DIVERGED.
  void require(const FileGroup &group, const tdn_anchor &expected);

 private:
  using Sum = KeyspaceDigest::Sum;
  struct Root {
    uint64_t commitNumber = 0;
    Sum entries{};  // XOR of a term for each keyspace
    Sum history{};  // XOR of a term for each of the last commits
    bool isOpen = false;     // a session is open, or was killed
    uint32_t epoch = 0;      // the current one; 0 in a plain store
    uint64_t sealCount = 0;  // seals under this epoch
    uint32_t keyGeneration = 0;
  };

  void store(FileGroup &group, const std::vector<Keyspace *> &changed, bool isOpen);
  Sum term(const Keyspace &keyspace);
  Sum historyTerm(const FileGroup &group, uint64_t commitNumber);
  Sum historyTerm(uint64_t commitNumber, const uint8_t *batchID);
  Sum history(const FileGroup &group, uint64_t upTo);
  static Sum code(uint64_t commitNumber, const CommitRing::BatchID &batchID);
  bool isSealed() const { return isSealed_.load(std::memory_order_acquire); }
  void useGeneration(uint32_t keyGeneration);
  std::optional<std::string> read(uint32_t id, size_t count);
  void write(uint32_t id, const std::string &content, const uint8_t *nonce);
  void erase(uint32_t id);
  void writeRoot(bool isOpen, const uint8_t *nonce);
  bool readRoot(bool mayBePlain);
  bool takeRoot(const std::string &content);
  bool mayBelong(uint32_t keyGeneration) const;
  void countSeals();

  std::shared_ptr<const KeyRing> ring_;  // null in a plain store
  std::unique_ptr<Sealer> sealer_;       // null in a plain store
  std::optional<KeyspaceDigestMac> entryMac_, historyMac_;  // with the keys of the root's generation
  std::shared_ptr<DataFile> file_;
  std::atomic<bool> isConsistent_{true};
  std::atomic<bool> isSealed_{false};  // whether the root is sealed; read by any thread
  Root root_;
  std::atomic<uint64_t> notedSeals_{0};  // the root's count of seals; read by any thread

  // -- The state that a rollback restores
  struct OldTerm {
    Keyspace *keyspace;
    Sum term;
  };
  bool hasStored_ = false;
  bool isNew_ = false;
  bool hadRoot_ = false;  // a readable one
  bool mayBePlain_ = false;
  bool wasConsistent_ = true;
  Root undoRoot_;
  std::vector<OldTerm> undoTerms_;
};

}  // namespace todana
