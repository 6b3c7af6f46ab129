// Makes one segment of several.
#pragma once

#include "SegmentWriter.h"

namespace todana::text {

struct MergeInput {
  Segment *segment;
  // The documents that are left out, in ascending order.
  std::vector<uint32_t> dropped;
};

// Writes a segment with the documents of all inputs, in the order of their row ids.
//
// A term's list is in memory at a time, and a number for each document. Throws Damaged if a row is in two inputs, or if
// the inputs differ in positions or grams.
SegmentInfo merge(const std::vector<MergeInput> &inputs, PageSink &sink);

}  // namespace todana::text
