// An estimate of the number of a tree's records within a range, by the places of the bounds in the nodes on the way to
// them.
#pragma once

#include "../Kyoto/TreeReader.h"
#include "TreeScan.h"

namespace todana {

// Estimates the count: exactly if both bounds fall into one leaf, or into neighbours of one parent. Reads two ways
// through the tree only; between the bounds it takes nodes for as full as those on the ways. Session calls it; any
// thread under a ReadLock.
uint64_t estimateCount(const SnapshotPart &part, const KeyRange &range);

}  // namespace todana
