// A scan of a hash file in the order of its offsets, as a snapshot sees it.
#pragma once

#include "ChunkWriter.h"
#include "Snapshot.h"

namespace todana {

// Between steps, commits may change the file before and behind the scan. Whatever stood at an offset below the
// snapshot's end when it was opened is found there, or in the snapshot's old values under that offset: blocks are split
// but never joined or moved, so that every old offset stays the start of a block.
class HashScan {
 public:
  HashScan(const Snapshot &snapshot, const SnapshotPart &part, bool hasRows)
      : snapshot_(snapshot), part_(part), hasRows_(hasRows), offset_(part.file ? part.file->recordStart() : 0) {}

  // Adds records for about a millisecond, under the caller's read lock. False when the chunk is full or all is read.
  // Throws Failure(TDN_DAMAGED) with file and page, into an empty chunk, where a block's end cannot be told; the next
  // step goes on behind the damage.
  bool step(ChunkWriter &chunk);

 private:
  int64_t nextRecordAfter(int64_t offset) const;
  bool addOld(ChunkWriter &chunk, const std::string &key) const;
  bool addRecord(ChunkWriter &chunk, const HashBlock &record) const;

  const Snapshot &snapshot_;
  const SnapshotPart &part_;
  const bool hasRows_;
  int64_t offset_;
};

}  // namespace todana
