#include "PostingsWriter.h"

#include <algorithm>

namespace todana::text {

namespace {

// Appends the positions of the documents from `first` to `end`, which begin at `next`.
void appendPositions(const Postings &postings, size_t first, size_t end, size_t &next, Bytes &output) {
  uint32_t group[kGroup];
  size_t count = 0;
  for (size_t index = first; index < end; index++) {
    uint32_t last = 0;
    for (uint32_t number = 0; number < postings.counts[index]; number++) {
      const uint32_t position = postings.positions[next++];
      group[count++] = position - last;
      last = position;
      if (count < kGroup) continue;
      pack(group, count, output);
      count = 0;
    }
  }
  if (count > 0) pack(group, count, output);
}

void appendImpacts(const Impacts &impacts, Bytes &output) {
  appendVarint(output, impacts.size());
  Impact last{0, 0};
  for (const Impact &impact : impacts) {
    appendVarint(output, impact.count - last.count);
    appendVarint(output, impact.length - last.length);
    last = impact;
  }
}

}  // namespace

Impacts impacts(
  const uint32_t *documents, const uint32_t *counts, size_t count, const std::vector<uint32_t> &lengths) {
  Impacts impacts;
  // Adds the highest count of the documents with so many words. Lengths come in ascending order.
  const auto add = [&](const Impact &impact) {
    if (!impacts.empty() && impact.count <= impacts.back().count) return;
    if (impacts.size() < kMostImpacts) {
      impacts.push_back(impact);
    } else {
      impacts.back().count = impact.count;
    }
  };
  // Most documents are short, so that the highest count of each length is found without sorting.
  constexpr uint32_t kShort = 256;
  uint32_t highest[kShort] = {};
  Impact longer[kGroup];
  size_t longerCount = 0;
  for (size_t index = 0; index < count; index++) {
    const uint32_t length = lengths[documents[index]];
    if (length < kShort) {
      highest[length] = std::max(highest[length], counts[index]);
    } else {
      longer[longerCount++] = {counts[index], length};
    }
  }
  for (uint32_t length = 0; length < kShort; length++) {
    if (highest[length] > 0) add({highest[length], length});
  }
  std::sort(longer, longer + longerCount, [](const Impact &one, const Impact &other) {
    return one.length != other.length ? one.length < other.length : one.count > other.count;
  });
  for (size_t index = 0; index < longerCount; index++) add(longer[index]);
  return impacts;
}

void encode(const Postings &postings, const ListShape &shape, const std::vector<uint32_t> &lengths, EncodedList &list) {
  list.documents.clear();
  list.positions.clear();
  const size_t total = postings.documents.size();
  const bool hasTable = total > kGroup;
  Bytes table, groups;
  // The last document before the group; the first gap is counted from -1.
  uint32_t last = UINT32_MAX;
  size_t nextPosition = 0;
  for (size_t first = 0; first < total; first += kGroup) {
    const size_t count = std::min(kGroup, total - first);
    const uint32_t before = last;
    uint32_t numbers[kGroup];
    for (size_t index = 0; index < count; index++) {
      const uint32_t document = postings.documents[first + index];
      numbers[index] = document - last - 1;
      last = document;
    }
    const size_t start = groups.size();
    pack(numbers, count, groups);
    if (shape.hasCounts) {
      for (size_t index = 0; index < count; index++) {
        numbers[index] = postings.counts[first + index] - 1;
      }
      pack(numbers, count, groups);
    }
    const size_t positionsStart = list.positions.size();
    if (shape.hasPositions) appendPositions(postings, first, first + count, nextPosition, list.positions);
    if (!hasTable) continue;
    appendVarint(table, last - before);
    appendVarint(table, groups.size() - start);
    if (shape.isRanked) {
      appendImpacts(
        impacts(postings.documents.data() + first, postings.counts.data() + first, count, lengths), table);
    }
    if (shape.hasPositions) appendVarint(table, list.positions.size() - positionsStart);
  }
  if (hasTable) {
    appendVarint(list.documents, table.size());
    list.documents.insert(list.documents.end(), table.begin(), table.end());
  }
  list.documents.insert(list.documents.end(), groups.begin(), groups.end());
}

}  // namespace todana::text
