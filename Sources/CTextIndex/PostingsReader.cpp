#include "PostingsReader.h"

#include <algorithm>
#include <utility>

namespace todana::text {

PostingsReader::PostingsReader(
  TermEntry entry, const ListShape &shape, uint32_t rowCount, StreamReader &postings, StreamReader &positions)
    : entry_(std::move(entry)), shape_(shape), rowCount_(rowCount), postings_(postings), positionStream_(positions) {
  if (entry_.documentCount == 0 || entry_.documentCount > rowCount) throw Damaged();
  std::fill_n(counts_, kGroup, 1);
  if (entry_.documentCount > kGroup) {
    readTable();
    return;
  }
  Group group;
  group.last = rowCount - 1;
  group.size = entry_.documents.size;
  group.positionsSize = entry_.positions.size;
  groups_.push_back(group);
}

void PostingsReader::readTable() {
  constexpr uint64_t kMostSize = 10;
  const uint8_t *const head = bytes(
    entry_.documents, 0, std::min<uint64_t>(kMostSize, entry_.documents.size), postings_);
  Input size(head, std::min<uint64_t>(kMostSize, entry_.documents.size));
  const uint64_t tableSize = size.varint(entry_.documents.size);
  const uint64_t tableStart = varintSize(tableSize);
  if (tableSize > entry_.documents.size - tableStart) throw Damaged();
  groupsStart_ = tableStart + tableSize;
  Input table(bytes(entry_.documents, tableStart, tableSize, postings_), tableSize);
  const size_t count = (entry_.documentCount + kGroup - 1) / kGroup;
  // Each group has two bytes at least.
  if (count > tableSize) throw Damaged();
  groups_.reserve(count);
  uint64_t next = groupsStart_, nextPositions = 0;
  uint32_t last = UINT32_MAX;
  for (size_t index = 0; index < count; index++) {
    Group group;
    const uint64_t gap = table.varint(rowCount_);
    // The first gap is counted from -1.
    const uint64_t end = static_cast<uint64_t>(last + 1u) + gap;
    if (gap == 0 || end > rowCount_) throw Damaged();
    last = group.last = static_cast<uint32_t>(end - 1);
    group.start = next;
    group.size = table.varint(entry_.documents.size - next);
    next += group.size;
    if (shape_.isRanked) {
      group.highestCount = static_cast<uint32_t>(table.varint(UINT32_MAX));
      group.leastLength = static_cast<uint32_t>(table.varint(UINT32_MAX));
    }
    if (shape_.hasPositions) {
      group.positionsStart = nextPositions;
      group.positionsSize = table.varint(entry_.positions.size - nextPositions);
      nextPositions += group.positionsSize;
    }
    groups_.push_back(group);
  }
}

const uint8_t *PostingsReader::bytes(const ListBytes &part, uint64_t offset, uint64_t count, StreamReader &stream) {
  if (offset > part.size || count > part.size - offset) throw Damaged();
  if (!part.isInStream) return part.bytes.data() + offset;
  stream.require(part.address, part.size);
  buffer_.resize(count);
  stream.read(part.address + offset, count, buffer_.data());
  return buffer_.data();
}

size_t PostingsReader::group(uint32_t document) const {
  const auto found = std::lower_bound(
    groups_.begin(), groups_.end(), document, [](const Group &group, uint32_t value) { return group.last < value; });
  return static_cast<size_t>(found - groups_.begin());
}

void PostingsReader::load(size_t number) {
  if (loaded_ == number) return;
  loaded_ = SIZE_MAX;
  hasPositions_ = false;
  const Group &group = groups_[number];
  Input input(bytes(entry_.documents, group.start, group.size, postings_), group.size);
  count_ = std::min<size_t>(kGroup, entry_.documentCount - number * kGroup);
  unpack(input, count_, documents_);
  uint64_t next = number == 0 ? 0 : uint64_t{groups_[number - 1].last} + 1;
  for (size_t index = 0; index < count_; index++) {
    next += documents_[index];
    if (next > group.last) throw Damaged();
    documents_[index] = static_cast<uint32_t>(next++);
  }
  if (shape_.hasCounts) {
    unpack(input, count_, counts_);
    for (size_t index = 0; index < count_; index++) {
      if (counts_[index] == UINT32_MAX) throw Damaged();
      counts_[index]++;
    }
  }
  loaded_ = number;
}

const uint32_t *PostingsReader::positions(size_t index) {
  if (!hasPositions_) loadPositions();
  return positions_.data() + starts_[index];
}

void PostingsReader::loadPositions() {
  const Group &group = groups_[loaded_];
  uint64_t total = 0;
  for (size_t index = 0; index < count_; index++) {
    starts_[index] = static_cast<uint32_t>(total);
    total += counts_[index];
    // A group of 128 numbers takes one byte at least.
    if (total > UINT32_MAX || total > group.positionsSize * kGroup) throw Damaged();
  }
  starts_[count_] = static_cast<uint32_t>(total);
  Input input(bytes(entry_.positions, group.positionsStart, group.positionsSize, positionStream_), group.positionsSize);
  positions_.resize(total);
  for (size_t first = 0; first < total; first += kGroup) {
    unpack(input, std::min<size_t>(kGroup, total - first), positions_.data() + first);
  }
  for (size_t index = 0; index < count_; index++) {
    uint64_t last = 0;
    for (uint32_t place = starts_[index]; place < starts_[index + 1]; place++) {
      last += positions_[place];
      if (last > UINT32_MAX) throw Damaged();
      positions_[place] = static_cast<uint32_t>(last);
    }
  }
  hasPositions_ = true;
}

}  // namespace todana::text
