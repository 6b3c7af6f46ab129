// A scan of a range of a tree's keys, either way, as a snapshot sees it.
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
// A `tdn_scan` or a WholeScan owns it. One thread at a time; `step` under the caller's ReadLock.
class TreeScan {
 public:
  TreeScan(const Snapshot &snapshot, const SnapshotPart &part, KeyRange range)
      : snapshot_(snapshot), part_(part), range_(std::move(range)) {}

  // Adds records for about a millisecond, under the caller's read lock. False when the chunk is full or all is read.
  // After damage there is nothing more.
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
  std::optional<std::string> last_;  // the key delivered last
  bool isAtEnd_ = false;
};

}  // namespace todana
