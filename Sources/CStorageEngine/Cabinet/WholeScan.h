// A scan of all records of a keyspace in a snapshot, for the engine's own use.
#pragma once

#include <variant>
#include <vector>

#include "../Snapshots/HashScan.h"
#include "../Snapshots/TreeScan.h"
#include "../include/StorageEngineReading.h"
#include "Session.h"

namespace todana {

// One scan. DigestAcceptance and DigestRekeying make it. One thread, with no lock held: `next` takes a ReadLock for
// each step.
class WholeScan {
 public:
  WholeScan(Session &session, Snapshot &snapshot, Keyspace &keyspace);

  // Returns the next chunk, valid until the next call; null at the end.
  const tdn_chunk *next();
  const SnapshotPart &part() const { return part_; }

 private:
  using Scan = std::variant<HashScan, TreeScan>;
  static Scan scanOf(Snapshot &snapshot, SnapshotPart &part, const Keyspace &keyspace);

  Session &session_;
  Snapshot &snapshot_;
  SnapshotPart &part_;
  Scan scan_;
  tdn_chunk chunk_{};
  std::vector<uint8_t> bytes_;
  std::vector<tdn_slice> slices_;
};

}  // namespace todana
