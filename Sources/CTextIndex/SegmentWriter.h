// Writes the pages of a segment.
#pragma once

#include "DictionaryWriter.h"
#include "Segment.h"

namespace todana::text {

class SegmentWriter {
 public:
  // `lengths` has the number of words of each row.
  SegmentWriter(PageSink &sink, RowTable rows, std::vector<uint32_t> lengths, bool keepsPositions, bool hasGrams);

  // Adds a term. Keys come in ascending order, each once.
  void add(Key key, const Postings &postings) { dictionary_.add(key, postings, lengths_); }

  SegmentInfo finish();

 private:
  void writeLengths();

  PageWriter pages_;
  const RowTable rows_;
  const std::vector<uint32_t> lengths_;
  SegmentInfo info_;
  DictionaryWriter dictionary_;
};

}  // namespace todana::text
