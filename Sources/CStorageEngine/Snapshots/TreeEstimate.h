// How many records of a tree lie within a range, about: from where the bounds stand in the nodes on the way to them.
#pragma once

#include "../Kyoto/TreeReader.h"
#include "TreeScan.h"

namespace todana {

// Exact where both bounds fall into one leaf, or into neighbours of one parent. Reads two ways through the tree and no
// more, under the caller's read lock; between the bounds it takes nodes for as full as those on the ways.
uint64_t estimateCount(const SnapshotPart &part, const KeyRange &range);

}  // namespace todana
