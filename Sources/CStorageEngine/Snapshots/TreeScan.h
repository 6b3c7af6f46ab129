// A scan of a range of a snapshot's tree, in either direction.
#pragma once

#include <optional>
#include <string>

#include "../Kyoto/TreeReader.h"
#include "ChunkWriter.h"
#include "Snapshot.h"

namespace todana {

// A range of keys, and the direction in which it is scanned. A value.
struct KeyRange {
  std::optional<std::string> lower;  // inclusive
  std::optional<std::string> upper;  // exclusive
  bool isDescending = false;
};

// The position of one scan, which merges the tree's unchanged records with the snapshot's old values. Each step finds
// its place again by the last key, so commits may change the tree between steps.
//
// A `tdn_scan` or a WholeScan owns it. One thread at a time; the caller holds a ReadLock for `step`.
class TreeScan {
 public:
  TreeScan(const Snapshot &snapshot, const SnapshotPart &part, KeyRange range)
      : snapshot_(snapshot), part_(part), range_(std::move(range)) {}

  // Adds records for about a millisecond, under the caller's read lock. Returns false if the chunk is full or all
  // records were read. After damage, the scan is at its end.
  bool step(ChunkWriter &chunk);

 private:
  class Cursor;
  bool readOn(ChunkWriter &chunk);
  using OldRecords = std::map<std::string, OldRecord, std::less<>>;

  bool isBehind(std::string_view key) const;
  bool isWithin(std::string_view key) const;
  const OldRecords::value_type *firstOld() const;
  const OldRecords::value_type *oldAfter(OldRecords::const_iterator position) const;

  const Snapshot &snapshot_;
  const SnapshotPart &part_;
  const KeyRange range_;
  std::optional<std::string> last_;  // the last delivered key
  bool isAtEnd_ = false;
};

}  // namespace todana
