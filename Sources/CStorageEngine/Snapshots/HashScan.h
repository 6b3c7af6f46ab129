// A scan of a hash file in the order of its offsets, as a snapshot sees it.
#pragma once

#include <optional>
#include <vector>

#include "../Kyoto/HashRecovery.h"
#include "../Kyoto/RowFinder.h"
#include "ChunkWriter.h"
#include "Snapshot.h"

namespace todana {

// The position of one scan, owned by a `tdn_scan` or a WholeScan. One thread at a time; `step` under the caller's
// ReadLock, which is released between steps.
//
// Between steps, commits may change the file before and behind the scan. A record that was at an offset below the
// snapshot's end when it was opened is found there, or in the snapshot's old values under that offset. Blocks are split
// but never joined or moved, so that every old offset stays the start of a block, except in ranges that compaction has
// laid out again: there only the old values are read.
//
// Where pages do not match their checksums, HashRecovery says which records are sound; the others are given as damaged,
// by their rows or keys.
class HashScan {
 public:
  HashScan(const Snapshot &snapshot, const SnapshotPart &part, bool hasRows)
      : snapshot_(snapshot), part_(part), hasRows_(hasRows), offset_(part.file ? part.file->recordStart() : 0) {}

  // Adds records for about a millisecond, under the caller's read lock. False when the chunk is full or all is read.
  //
  // Throws Failure(TDN_DAMAGED) only while the chunk is empty, once for each part of the file in which no record can be
  // recognised. It has skipped that part then: the next call goes on behind it.
  bool step(ChunkWriter &chunk);

 private:
  static constexpr int64_t kPrefetch = 2 << 20;

  void prefetch();
  bool addBlock(ChunkWriter &chunk, const HashBlock &block);
  bool addRecovered(ChunkWriter &chunk);
  [[noreturn]] void skipDamage();
  bool addOld(ChunkWriter &chunk, const std::string &key);
  bool addNextOfRange(ChunkWriter &chunk, const SnapshotPart::Range &range);
  bool addRecord(ChunkWriter &chunk, const HashBlock &record);
  bool addRecord(ChunkWriter &chunk, const HashRecovery::Block &record);
  const std::vector<int64_t> &starts();
  bool isSkipped(std::string_view key) const;
  bool addPack(ChunkWriter &chunk, uint64_t number, const HashBlock &record);
  bool addRecoveredPack(ChunkWriter &chunk, uint64_t number, const HashRecovery::Block &record, bool isFound);
  bool addWholePack(ChunkWriter &chunk, uint64_t firstRow, const RowPack &pack);
  template <class Row>
  bool addPackedRows(ChunkWriter &chunk, uint64_t number, uint32_t rows, Row row);

  const Snapshot &snapshot_;
  const SnapshotPart &part_;
  const bool hasRows_;
  int64_t offset_;
  int64_t prefetched_ = 0;  // up to here
  bool hasLostTrack_ = false;  // no block starts at `offset_`: the head of the one before has a wrong length
  bool isUnsure_ = false;  // whether a block starts at `offset_` is not certain: records count only if their keys lead there
  int packIndex_ = 0;  // the row to go on with in a pack that did not fit into the chunk
  // Where chains say that records start, in order; only after damage to the head of a block. Not true of compacted
  // ranges.
  std::optional<std::vector<int64_t>> starts_;
};

}  // namespace todana
