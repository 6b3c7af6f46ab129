// The reader of single records of a hash file, as of the newest commit or as a snapshot sees them.
#pragma once

#include <optional>
#include <string>

#include "../Kyoto/HashFile.h"
#include "../Snapshots/ChunkWriter.h"
#include "../Snapshots/Snapshot.h"

namespace todana {

// The reader for one step. Session makes it. One thread, under one FileGroup::ReadLock.
class RecordReader {
 public:
  // `part` null: of now.
  RecordReader(const HashFile *file, const Snapshot *snapshot, const SnapshotPart *part)
      : file_(part ? part->file.get() : file), snapshot_(snapshot), part_(part) {}

  // Returns the file; null if there is none yet, and thus no records.
  const HashFile *file() const { return file_; }
  // Tests whether the state to read is the file's.
  bool isUnchanged() const { return !part_ || (part_->changed.empty() && part_->end == file_->end()); }

  // -- All of these return false when the chunk is full.
  bool addKey(ChunkWriter &chunk, std::string_view key) const;
  // A row of a snapshot, where commits have changed the file since.
  bool addRow(ChunkWriter &chunk, uint64_t row) const;
  // Rows from `next` on, for about a millisecond.
  bool addRows(ChunkWriter &chunk, const uint64_t *rows, size_t rowCount, size_t &next) const;
  bool addOld(ChunkWriter &chunk, uint64_t row, const OldRecord &old) const;
  // A value that stands in the file; one that is large does not stay in memory.
  bool addFound(ChunkWriter &chunk, uint64_t row, std::string_view value) const;
  // A row that was looked for until `failure` was thrown: what can be told of it in spite of damage to the file.
  bool addRecovered(ChunkWriter &chunk, uint64_t row, const Failure &failure) const;

 private:
  const OldRecord *oldRecord(std::string_view key) const;
  bool findUnchanged(std::string_view key, HashBlock &record) const;
  std::optional<std::string_view> oldPackedRow(const OldRecord &old, uint64_t row, std::string &buffer) const;

  const HashFile *file_;
  const Snapshot *snapshot_;
  const SnapshotPart *part_;
};

}  // namespace todana
