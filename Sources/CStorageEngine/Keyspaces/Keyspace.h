// One keyspace of an open cabinet, as it is in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "../Kyoto/HashWriter.h"
#include "../Snapshots/KeyspaceDigest.h"
#include "../include/StorageEngineKeyspaces.h"
#include "RebuildJournal.h"

namespace todana {

// The changes of commits to a keyspace's digest while the digest is computed with other keys.
//
// DigestRekeying owns it; KeyspaceWriter and Commit note changes inside `apply`.
struct RekeyedContents {
  RekeyedContents(const KeyRing *ring, uint32_t keyGeneration, uint32_t keyspace)
      : keyGeneration(keyGeneration), digest(ring, keyGeneration, keyspace) {}

  const uint32_t keyGeneration;
  KeyspaceDigest digest;
  KeyspaceDigest::Sum sum{};  // of what the commits so far took out and put in
};

class KeyspaceLoader;

// FileTable owns it, and keeps it after a drop. Sessions, commits, scans and maintenance refer to it.
//
// Any thread reads the atomic fields; the comments of the others name their lock.
struct Keyspace {
  Keyspace(uint32_t id, int32_t kind, std::string name) : id(id), kind(kind), name(std::move(name)) {}

  const uint32_t id;
  const int32_t kind;  // a `tdn_keyspace_kind`
  const std::string name;

  bool hasRows() const { return kind == TDN_KEYSPACE_ROWS; }
  bool hasNames() const { return kind == TDN_KEYSPACE_KEYS; }
  bool isTree() const { return kind == TDN_KEYSPACE_TREE; }

  // Set when a commit has dropped it. The object stays, because other threads may still use it.
  std::atomic<bool> isDropped{false};
  // The data file that the keyspace lives in; 0: none yet. Changed by commits only (readers are excluded), and with
  // FileTable's mutex held: a reader that got hold of a file asks under its read lock whether it is still this one.
  std::atomic<uint32_t> fileNumber{0};
  // Whether that file, or one that is made next, belongs to an encrypted store. Changed with its number.
  std::atomic<bool> isSealed{false};
  // Whether single wrong bits of its rows are repaired, too, where any are.
  std::atomic<bool> repairsRecords{false};
  // The next row id to hand out; 0: not read from the file yet.
  std::atomic<uint64_t> nextRow{0};

  // -- FileTable's, guarded by its mutex
  std::shared_ptr<const HashFile> file;  // null where it is not open
  std::list<Keyspace *>::iterator use;

  // As of the newest commit; changed by commits, with readers excluded.
  DigestEntry contents;
  // The last commit that removed all records at once; 0: none since the opening. The same holds for it.
  uint64_t clearedBy = 0;

  // -- Used by commits only
  KeyspaceDigest::Sum stateTerm{};         // the keyspace's in the root of the states
  std::unique_ptr<KeyspaceDigest> digest;  // null until it is needed
  FreeBlockPool pool;
  // Set if a killed process has lost the list of the file's free blocks: the used part of the file is unknown.
  bool mayHaveLostSpace = false;
  // Set while a new file is being built; set and taken away under a read lock or in a commit.
  RebuildJournal *journal = nullptr;
  // Set while the keys of its digest are changed; set and taken away under a read lock or in a commit.
  RekeyedContents *rekeyed = nullptr;

  // -- Upkeep of the file. Inside a commit or under a read lock.
  // Returns whether the file has too few buckets, or may waste space: checked by each commit after its changes.
  bool needsMaintenance(const HashFile &current) { return isCrowded(current) || mayWasteSpace(current); }
  // Returns whether the file has too few buckets for its records, and may have more.
  bool isCrowded(const HashFile &current) const;
  // Returns whether a file of `size` bytes is so much longer than needed that a rebuild pays.
  static bool wastesSpace(double size, double needed);
  // Notes that so many rows, or records, need so many bytes.
  void noteNeed(uint64_t byteCount, uint64_t rowCount) {
    neededBytes = byteCount;
    neededForRows = rowCount;
  }

 private:
  // Returns whether the file is so much longer than the records that came into it explain that other ones, or packs,
  // have left space behind.
  bool mayWasteSpace(const HashFile &current);
  int64_t pooledBytes() const;

  // As of when the file was looked through last; before that as of the first change, as if nothing had been wasted but
  // the free blocks that are listed. 1: to be looked through.
  std::atomic<uint64_t> neededBytes{0};
  std::atomic<uint64_t> neededForRows{0};
};

}  // namespace todana
