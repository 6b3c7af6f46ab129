// A scan of a snapshot's hash file in the order of its offsets.
#pragma once

#include <optional>
#include <vector>

#include "../Kyoto/HashRecovery.h"
#include "../Kyoto/RowFinder.h"
#include "ChunkWriter.h"
#include "Snapshot.h"

namespace todana {

// The position of one scan. A `tdn_scan` or a WholeScan owns it. One thread at a time. The caller holds a ReadLock for
// `step`, and releases it between steps.
//
// Between steps, commits may change the file before and after the position. A record whose offset was below the
// snapshot's end is still at that offset, or in the snapshot's old values under that offset. Blocks are split, but
// never joined or moved, so every old offset remains the start of a block. The exceptions are compacted ranges, in
// which only the old values are read.
//
// On pages that do not match their checksums, HashRecovery identifies the intact records. The others are reported as
// damaged, with their rows or keys.
class HashScan {
 public:
  HashScan(const Snapshot &snapshot, const SnapshotPart &part, bool hasRows)
      : snapshot_(snapshot), part_(part), hasRows_(hasRows), offset_(part.file ? part.file->recordStart() : 0) {}

  // Adds records for about a millisecond, under the caller's read lock. Returns false if the chunk is full or all
  // records were read.
  //
  // Throws Failure(TDN_DAMAGED) only while the chunk is empty, once for each part of the file in which no record can be
  // recognized. That part has then been skipped, and the next call continues after it.
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
  int64_t prefetched_ = 0;  // the end of the prefetched part
  bool hasLostTrack_ = false;  // no block starts at `offset_`: the header before it has a wrong length
  bool isUnsure_ = false;  // a block may start at `offset_`: a record counts only if its key leads there
  int packIndex_ = 0;  // the next row of a pack that did not fit into the chunk
  // The offsets of records according to the chains, in order. Set after damage to the header of a block. Not valid in
  // compacted ranges.
  std::optional<std::vector<int64_t>> starts_;
};

}  // namespace todana
