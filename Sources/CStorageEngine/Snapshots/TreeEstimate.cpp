#include "TreeEstimate.h"

#include <algorithm>

namespace todana {

namespace {

// The position of a bound within its leaf.
struct LeafPart {
  uint64_t before = 0;
  uint64_t count = 0;

  double share() const { return count > 0 ? static_cast<double>(before) / static_cast<double>(count) : 0; }
};

// The count from which the positions of the bounds within their leaves are ignored.
constexpr double kWide = 20'000;

LeafPart partBefore(const TreeReader &tree, int64_t id, const std::string *bound) {
  LeafPart part;
  TreeReader::LeafCursor leaf;
  bool isPassed = false;
  for (tree.readLeaf(id, leaf); leaf.record(); leaf.advance(), part.count++) {
    isPassed = isPassed || (bound && !TreeReader::isLess(leaf.record()->key, *bound));
    if (!isPassed) part.before++;
  }
  return part;
}

// Returns a position from 0, the first record, to 1, the end, assuming that all children of a node have the same size.
double position(const TreeReader::Way &way, double position) {
  for (auto step = way.steps.rbegin(); step != way.steps.rend(); ++step) {
    position = (step->index + position) / step->count;
  }
  return position;
}

bool haveOneParent(const TreeReader::Way &lower, const TreeReader::Way &upper) {
  return !lower.steps.empty() && !upper.steps.empty() && lower.steps.back().node == upper.steps.back().node;
}

// Counts the records of one leaf exactly, with the snapshot's old values: in a single leaf, they may be most of the
// records.
uint64_t countInLeaf(const TreeReader &tree, int64_t id, const SnapshotPart &part, const KeyRange &range) {
  constexpr int kMostOldRecords = 4096;
  auto isWithin = [&](std::string_view key) {
    return (!range.lower || key >= *range.lower) && (!range.upper || key < *range.upper);
  };
  const auto &changed = part.changedInOrder;
  uint64_t count = 0;
  TreeReader::LeafCursor leaf;
  for (tree.readLeaf(id, leaf); leaf.record(); leaf.advance()) {
    const std::string_view key = leaf.record()->key;
    count += isWithin(key) && (changed.empty() || changed.find(key) == changed.end());
  }
  auto old = range.lower ? changed.lower_bound(*range.lower) : changed.begin();
  for (int steps = 0; steps < kMostOldRecords && old != changed.end() && isWithin(old->first); steps++, ++old) {
    count += old->second.exists();
  }
  return count;
}

}  // namespace

uint64_t estimateCount(const SnapshotPart &part, const KeyRange &range) {
  if (!part.file || part.count == 0) return 0;
  if (!range.lower && !range.upper) return part.count;
  if (range.lower && range.upper && *range.lower >= *range.upper) return 0;
  const TreeReader tree(*part.file);
  // No key precedes the empty one.
  const std::string first;
  const std::string *lowerBound = range.lower ? &*range.lower : &first, *upperBound = range.upper ? &*range.upper : nullptr;
  const auto [lower, upper] = tree.waysTo(lowerBound, upperBound);
  if (lower.leaf == upper.leaf) return std::min(part.count, countInLeaf(tree, lower.leaf, part, range));
  const double count = static_cast<double>(tree.count());
  const double wide = (position(upper, 0.5) - position(lower, 0.5)) * count;
  // For such a number, the positions of the bounds within their leaves make no difference.
  if (wide > kWide) return std::min(part.count, static_cast<uint64_t>(wide));
  const LeafPart lowerPart = partBefore(tree, lower.leaf, lowerBound), upperPart = partBefore(tree, upper.leaf, upperBound);
  const uint64_t known = lowerPart.count - lowerPart.before + upperPart.before;
  if (haveOneParent(lower, upper) && upper.steps.back().index > lower.steps.back().index) {
    const uint64_t between = upper.steps.back().index - lower.steps.back().index - 1;
    return std::min(part.count, known + between * (lowerPart.count + upperPart.count) / 2);
  }
  const double share = position(upper, upperPart.share()) - position(lower, lowerPart.share());
  return std::min(part.count, std::max(known, static_cast<uint64_t>(std::max(share, 0.0) * count)));
}

}  // namespace todana
