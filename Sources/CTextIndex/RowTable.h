// The row ids of a segment's documents, in ascending order.
//
// Stored as runs of consecutive ids: varints of the gap after the run before, less one, and of the length of the run.
#pragma once

#include <optional>

#include "Pages.h"

namespace todana::text {

class RowTable {
 public:
  // Adds a row, whose id is higher than all before. Throws std::length_error beyond 2^32 - 1 rows.
  void add(uint64_t row);

  void write(StreamWriter &stream) const;
  // Throws Damaged if there are not exactly `count` rows.
  void read(StreamReader &stream, uint32_t count);

  uint32_t count() const { return count_; }
  uint64_t first() const { return runs_.empty() ? 0 : runs_.front().row; }
  uint64_t last() const { return runs_.empty() ? 0 : runs_.back().row + (count_ - 1 - runs_.back().document); }
  uint64_t row(uint32_t document) const;
  // Returns the document with a row id, or the number of documents before it.
  std::optional<uint32_t> document(uint64_t row) const;
  uint32_t countBefore(uint64_t row) const;
  size_t memory() const { return runs_.capacity() * sizeof(Run); }

 private:
  struct Run {
    uint64_t row;
    uint32_t document;
  };

  // Returns the length of a run.
  uint32_t length(size_t run) const {
    return (run + 1 < runs_.size() ? runs_[run + 1].document : count_) - runs_[run].document;
  }

  std::vector<Run> runs_;
  uint32_t count_ = 0;
};

}  // namespace todana::text
