// An estimate of the number of a tree's records within a range. It uses the positions of the bounds in the nodes on the
// paths to them.
#pragma once

#include "../Kyoto/TreeReader.h"
#include "TreeScan.h"

namespace todana {

// Estimates the count. Exact if both bounds are in the same leaf. If they are in neighbouring leaves of one parent,
// exact unless commits have changed the tree since the snapshot. The function reads only two paths through the tree,
// and assumes that the nodes in between are as full as those on the paths. Session calls it; any thread under a
// ReadLock.
uint64_t estimateCount(const SnapshotPart &part, const KeyRange &range);

}  // namespace todana
