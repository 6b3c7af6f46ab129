// The reader of single records of a hash file, as of the newest commit or of a snapshot.
#pragma once

#include <optional>
#include <string>

#include "../Kyoto/HashFile.h"
#include "../Snapshots/ChunkWriter.h"
#include "../Snapshots/Snapshot.h"

namespace todana {

// The reader of one step. Session makes it. One thread, under one FileGroup::ReadLock.
class RecordReader {
 public:
  // `part`: null for the newest committed state.
  RecordReader(const HashFile *file, const Snapshot *snapshot, const SnapshotPart *part)
      : file_(part ? part->file.get() : file), snapshot_(snapshot), part_(part) {}

  // Returns the file; null if there is none yet, and thus no records.
  const HashFile *file() const { return file_; }
  // Tests whether the file has not changed since the state to be read.
  bool isUnchanged() const { return !part_ || (part_->changed.empty() && part_->end == file_->end()); }

  // -- All of these functions return false if the chunk is full.
  bool addKey(ChunkWriter &chunk, std::string_view key) const;
  // Adds a row of a snapshot whose file commits have changed since.
  bool addRow(ChunkWriter &chunk, uint64_t row) const;
  // Adds rows from `next` on, for about a millisecond.
  bool addRows(ChunkWriter &chunk, const uint64_t *rows, size_t rowCount, size_t &next) const;
  bool addOld(ChunkWriter &chunk, uint64_t row, const OldRecord &old) const;
  // Adds a value from the file. Releases the memory of a large value afterwards.
  bool addFound(ChunkWriter &chunk, uint64_t row, std::string_view value) const;
  // Adds a row after a search for it threw `failure`: searches the damaged file in other ways, and otherwise reports
  // damage.
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
