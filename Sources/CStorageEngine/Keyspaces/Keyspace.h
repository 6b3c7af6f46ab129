// One keyspace of an open cabinet.
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

// The changes that commits make to a keyspace's digest while it is computed with other keys.
//
// DigestRekeying owns it; KeyspaceWriter and Commit note changes inside `apply`.
struct RekeyedContents {
  RekeyedContents(const KeyRing *ring, uint32_t keyGeneration, uint32_t keyspace)
      : keyGeneration(keyGeneration), digest(ring, keyGeneration, keyspace) {}

  const uint32_t keyGeneration;
  KeyspaceDigest digest;
  KeyspaceDigest::Sum sum{};  // the terms of all records that commits have removed and added
};

class KeyspaceLoader;

// A keyspace in memory. FileTable owns it, and keeps it after a drop. Sessions, commits, scans and maintenance refer to
// it.
//
// Any thread reads the atomic fields. The comments of the others name their lock.
struct Keyspace {
  Keyspace(uint32_t id, int32_t kind, std::string name) : id(id), kind(kind), name(std::move(name)) {}

  const uint32_t id;
  const int32_t kind;  // a `tdn_keyspace_kind`
  const std::string name;

  bool hasRows() const { return kind == TDN_KEYSPACE_ROWS; }
  bool hasNames() const { return kind == TDN_KEYSPACE_KEYS; }
  bool isTree() const { return kind == TDN_KEYSPACE_TREE; }

  // True after a commit has dropped the keyspace. The object stays, because other threads may still use it.
  std::atomic<bool> isDropped{false};
  // The number of the data file that the keyspace is in; 0: none yet. Only commits change it, with readers excluded and
  // FileTable's mutex held. A reader that has got a file checks under its read lock whether it is still this one.
  std::atomic<uint32_t> fileNumber{0};
  // Whether this file, or the next one, belongs to an encrypted store. Changes together with the file number.
  std::atomic<bool> isSealed{false};
  // Whether bit-flip repair includes the rows, if repair is enabled.
  std::atomic<bool> repairsRecords{false};
  // The next row id to reserve; 0: not read from the file yet.
  std::atomic<uint64_t> nextRow{0};

  // -- FileTable's, guarded by its mutex
  std::shared_ptr<const HashFile> file;  // null if it is not open
  std::list<Keyspace *>::iterator use;

  // The count and digest as of the newest commit. Only commits change it, with readers excluded.
  DigestEntry contents;
  // The number of the last commit that removed all records at once; 0: none since the opening. Only commits change it,
  // with readers excluded.
  uint64_t clearedBy = 0;

  // -- Used by commits only
  KeyspaceDigest::Sum stateTerm{};         // the keyspace's term in the root of the states
  std::unique_ptr<KeyspaceDigest> digest;  // null until the first use
  FreeBlockPool pool;
  // True if a killed process may have lost the list of the file's free blocks: the size of the used part is unknown.
  bool mayHaveLostSpace = false;
  // The journal of a running rebuild, or null. Set and cleared under a read lock or in a commit.
  RebuildJournal *journal = nullptr;
  // The changes of a running rekeying of the digest, or null. Set and cleared under a read lock or in a commit.
  RekeyedContents *rekeyed = nullptr;

  // -- Maintenance of the file. Inside a commit or under a read lock.
  // Tests whether the file has too few buckets, or may waste space. Each commit calls it after its changes.
  bool needsMaintenance(const HashFile &current) { return isCrowded(current) || mayWasteSpace(current); }
  // Tests whether the file has too few buckets for its records, and a new file may have more.
  bool isCrowded(const HashFile &current) const;
  // Tests whether a file of `size` bytes is so much longer than needed that a rebuild pays.
  static bool wastesSpace(double size, double needed);
  // Stores the number of bytes that the content of the file needs.
  void noteNeed(uint64_t byteCount, const HashFile &current) {
    neededBytes = byteCount;
    neededForUnits = unitCount(current);
  }

 private:
  // Tests whether the file is much longer than its records need, because removed records or packs have left free space.
  bool mayWasteSpace(const HashFile &current);
  // Returns the number that the size of the content grows with: rows, or the nodes of a tree.
  uint64_t unitCount(const HashFile &current) const;
  int64_t pooledBytes() const;

  // The bytes that the records needed at the last survey of the file. Before the first survey: an estimate made at the
  // first change, in which only listed free blocks count as waste. 1: a survey is required.
  std::atomic<uint64_t> neededBytes{0};
  std::atomic<uint64_t> neededForUnits{0};
};

}  // namespace todana
