// The form of a list of postings: the documents that have a term, with the numbers of its places, and the places.
//
// A document is a row of a segment, by its local number from 0. Lists have groups of 128 documents. A group has the
// gaps between its documents, less one, and the counts, less one, if the list has counts (Packing.h). A list of several
// groups begins with a table: its size in bytes, and for each group varints of
//
//   the gap between the last documents of the group before and of this one
//   the size of the group in bytes
//   if the list is ranked, the number of its impacts, and for each the differences of both numbers from the one before
//   if it has positions, the size of its positions in bytes
//
// The positions of a group are the gaps between those of each document, in groups of 128 numbers across documents.
#pragma once

#include "Packing.h"

namespace todana::text {

// The contents of the lists of a kind of terms.
struct ListShape {
  bool hasCounts;
  bool isRanked;
  bool hasPositions;  // which requires counts
};

// The postings of a term.
struct Postings {
  std::vector<uint32_t> documents;  // ascending
  std::vector<uint32_t> counts;     // for each document; unused if the shape has no counts
  std::vector<uint32_t> positions;  // for each document its positions in ascending order; unused without positions

  void clear() {
    documents.clear();
    counts.clear();
    positions.clear();
  }
};

// A number of places in a document, and the number of the document's words.
struct Impact {
  uint32_t count;
  uint32_t length;

  bool operator==(const Impact &other) const { return count == other.count && length == other.length; }
};

// The documents of a group that may be the most relevant ones: for each, no other one has as many places and as few
// words. In ascending order of both.
using Impacts = std::vector<Impact>;

// The most impacts of a group. If there are more, the last one stands for several.
constexpr size_t kMostImpacts = 8;

// Returns the impacts of a group of documents. `lengths` has the number of words of each document of the segment.
Impacts impacts(
  const uint32_t *documents, const uint32_t *counts, size_t count, const std::vector<uint32_t> &lengths);

// The bytes of a list.
struct EncodedList {
  Bytes documents;
  Bytes positions;
};

// Encodes a list. `lengths` has the number of words of each document.
void encode(const Postings &postings, const ListShape &shape, const std::vector<uint32_t> &lengths, EncodedList &list);

}  // namespace todana::text
