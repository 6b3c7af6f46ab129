// What each keyspace contains as of the newest commit, and a root over all of them: a data file that every commit
// changes (docs/formats/states.md).
//
// A keyspace's state tells whether a scan has read what was committed. The root tells whether the states, the catalog
// and the list of last commits belong together, and is what an anchor vouches for.
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

class DigestFile {
 public:
  static constexpr uint32_t kFileNumber = 0;
  static constexpr const char *kFileName = "0000-states.tds";
  // So many commits can be told from those of a copy that went another way.
  static constexpr uint64_t kHistory = 1000;

  explicit DigestFile(const std::shared_ptr<const KeyRing> &ring = nullptr) { setKeys(ring); }
  // Of a plain store that is to be encrypted: from the next `storeAll` on.
  void setKeys(const std::shared_ptr<const KeyRing> &ring);

  // First of all. Throws Failure(TDN_DAMAGED) where the file cannot be read. `mayBePlain`: though there are keys.
  void open(FileGroup &group, bool mayBePlain);
  // What the states, and the catalog, are sealed with since; 0: nothing.
  uint32_t keyGeneration() const { return root_.keyGeneration; }
  // Sets what the keyspaces contain. What does not belong together is no error here: whoever reads all of something is
  // told.
  void load(FileGroup &group, const std::vector<Keyspace *> &keyspaces);
  // False: some file is older or newer than the others, or was written by somebody without the keys. Any thread.
  bool isConsistent() const { return isConsistent_; }

  // Before each commit: what the one before it did has been settled.
  void settle();
  // Inside `apply`, last of all: these keyspaces contain other things, or live in other files.
  void store(FileGroup &group, const std::vector<Keyspace *> &changed) { store(group, changed, true); }
  // The same for the last commit of a session, which is needed where `mustBeClosed`.
  void storeClosed(FileGroup &group);
  bool mustBeClosed() const { return isSealed() && root_.isOpen; }
  // The same, for all keyspaces: what is there is right from now on, and sealed with the keys of this generation.
  void storeAll(FileGroup &group, const std::vector<Keyspace *> &keyspaces, uint32_t keyGeneration);
  // After a rollback.
  void undo();

  // -- Seals. Many more under one key than have been counted would make two with one nonce likely.
  // Whether so many may have been made since the last commit that it should be noted before more are written. Any thread.
  bool hasUncountedSeals() const;
  // Whether the current key has been used often enough. Any thread.
  bool needsNewEpoch(uint64_t limit) const { return isSealed() && sealer_->ring().sealCount() >= limit; }

  // -- Anchors
  tdn_anchor anchor(const FileGroup &group);
  // Throws Failure: TDN_ROLLED_BACK, TDN_DIVERGED.
  void require(const FileGroup &group, const tdn_anchor &expected);

 private:
  using Sum = KeyspaceDigest::Sum;
  struct Root {
    uint64_t commitNumber = 0;
    Sum entries{};  // XOR of a term for each keyspace
    Sum history{};  // XOR of a term for each of the last commits
    bool isOpen = false;     // a session goes on, or was killed
    uint32_t epoch = 0;      // the current one; 0 in a plain store
    uint64_t sealCount = 0;  // under it
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
  std::optional<KeyspaceDigestMac> entryMac_, historyMac_;  // of the root's generation
  std::shared_ptr<DataFile> file_;
  std::atomic<bool> isConsistent_{true};
  std::atomic<bool> isSealed_{false};  // what the root's generation says, for any thread
  Root root_;
  std::atomic<uint64_t> notedSeals_{0};  // of the current epoch; what the root says, for any thread

  // -- What a rollback returns to
  struct Former {
    Keyspace *keyspace;
    Sum term;
  };
  bool hasStored_ = false;
  bool isNew_ = false;
  bool hadRoot_ = false;  // one that could be read
  bool mayBePlain_ = false;
  bool wasConsistent_ = true;
  Root undoRoot_;
  std::vector<Former> undoTerms_;
};

}  // namespace todana
