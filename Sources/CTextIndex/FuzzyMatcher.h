// Tests whether words differ from a word by few changes. Successive words of a dictionary share the work for their
// common beginning.
#pragma once

#include "Coding.h"

namespace todana::text {

class FuzzyMatcher {
 public:
  // `edits` is the most changes: scalars that are inserted, removed, replaced, or exchanged with the next one (the
  // optimal string alignment distance).
  FuzzyMatcher(const Bytes &word, uint32_t edits);

  // Returns false if a word in UTF-8 certainly has more changes.
  bool mayMatch(const uint8_t *word, size_t count);
  // After `mayMatch` has returned false: the number of first bytes of the word with which no word matches; 0 if not known.
  size_t excludedSize() const { return excludedSize_; }

 private:
  // The distances between a beginning of the word that is tested and each beginning of the pattern.
  struct Row {
    uint32_t scalar = 0;
    // The number of bytes of the beginning.
    size_t end = 0;
    uint32_t least = 0;
  };

  uint8_t *distances(size_t depth) { return distances_.data() + depth * (pattern_.size() + 1); }
  void addRow(uint32_t scalar, size_t end);

  const uint32_t edits_;
  bool isValid_ = true;
  std::vector<uint32_t> pattern_;
  // The last word, as far as it was read.
  Bytes last_;
  // The rows of its beginnings, the empty one first.
  std::vector<Row> rows_;
  Bytes distances_;
  size_t excludedSize_ = 0;
};

}  // namespace todana::text
