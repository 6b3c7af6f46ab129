// Digests of the documents of a segment, by which a segment is compared with the texts of its rows.
#pragma once

#include "Segment.h"

namespace todana::text {

// Returns a number for each document that depends on all its terms, with the numbers of their places and the positions,
// and on its length. Equal texts have equal digests in all segments with the same options. Reads all pages but those of
// the tables. Throws Damaged, CallerFailed.
std::vector<uint64_t> digests(Segment &segment);

}  // namespace todana::text
