#include "PostingsReader.h"

#include <utility>

namespace todana::text {

PostingsReader::PostingsReader(
  TermEntry entry, const ListShape &shape, uint32_t rowCount, StreamReader &postings, StreamReader &positions)
    : entry_(std::move(entry)), shape_(shape), rowCount_(rowCount), postings_(postings), positionStream_(positions) {
  if (entry_.documentCount == 0 || entry_.documentCount > rowCount) throw Damaged();
}

void PostingsReader::readTable() {
  // The list stays unread if an exception is thrown.
  std::vector<Group> groups;
  impacts_.clear();
  if (groupCount() == 1) {
    Group group;
    group.last = rowCount_ - 1;
    group.size = entry_.documents.size;
    group.positionsSize = entry_.positions.size;
    groups.push_back(group);
  } else {
    readTable(groups);
  }
  groups_ = std::move(groups);
}

void PostingsReader::readTable(std::vector<Group> &groups) {
  constexpr uint64_t kMostSize = 10;
  const uint8_t *const head = bytes(
    entry_.documents, 0, std::min<uint64_t>(kMostSize, entry_.documents.size), postings_);
  Input size(head, std::min<uint64_t>(kMostSize, entry_.documents.size));
  const uint64_t tableSize = size.varint(entry_.documents.size);
  const uint64_t tableStart = varintSize(tableSize);
  if (tableSize > entry_.documents.size - tableStart) throw Damaged();
  const uint64_t groupsStart = tableStart + tableSize;
  Input table(bytes(entry_.documents, tableStart, tableSize, postings_), tableSize);
  // Each group has two bytes at least.
  if (groupCount() > tableSize) throw Damaged();
  groups.reserve(groupCount());
  uint64_t next = groupsStart, nextPositions = 0;
  uint32_t last = UINT32_MAX;
  for (size_t index = 0; index < groupCount(); index++) {
    Group group;
    const uint64_t gap = table.varint(rowCount_);
    // The first gap is counted from -1.
    const uint64_t end = static_cast<uint64_t>(last + 1u) + gap;
    if (gap == 0 || end > rowCount_) throw Damaged();
    last = group.last = static_cast<uint32_t>(end - 1);
    group.start = next;
    group.size = table.varint(entry_.documents.size - next);
    next += group.size;
    if (shape_.isRanked) readImpacts(table, group);
    if (shape_.hasPositions) {
      group.positionsStart = nextPositions;
      group.positionsSize = table.varint(entry_.positions.size - nextPositions);
      nextPositions += group.positionsSize;
    }
    groups.push_back(group);
  }
}

void PostingsReader::readImpacts(Input &table, Group &group) {
  group.firstImpact = impacts_.size();
  const uint64_t count = table.varint(kMostImpacts);
  if (count == 0) throw Damaged();
  Impact last{0, 0};
  for (uint64_t index = 0; index < count; index++) {
    last.count += static_cast<uint32_t>(table.varint(UINT32_MAX - last.count));
    last.length += static_cast<uint32_t>(table.varint(UINT32_MAX - last.length));
    impacts_.push_back(last);
  }
}

const uint8_t *PostingsReader::bytes(const ListBytes &part, uint64_t offset, uint64_t count, StreamReader &stream) {
  if (offset > part.size || count > part.size - offset) throw Damaged();
  if (!part.isInStream) return part.bytes.data() + offset;
  stream.require(part.address, part.size);
  return stream.read(part.address + offset, count, buffer_);
}

size_t PostingsReader::group(uint32_t document) {
  const auto found = std::lower_bound(
    groups_.begin(), groups_.end(), document, [](const Group &group, uint32_t value) { return group.last < value; });
  return static_cast<size_t>(found - groups_.begin());
}

bool PostingsReader::seekGroup(uint32_t document) {
  openTable();
  // Most calls look for a later document.
  if (document < sought_) group_ = index_ = 0;
  sought_ = document;
  if (group_ < groups_.size() && groups_[group_].last < document) {
    // It is often the next group.
    group_++;
    if (group_ < groups_.size() && groups_[group_].last < document) group_ = group(document);
    index_ = 0;
  }
  for (; group_ < groups_.size(); group_++, index_ = 0) {
    load(group_);
    if (index_ < count_ && documents_[index_] < document) {
      index_ = static_cast<size_t>(std::lower_bound(documents_ + index_, documents_ + count_, document) - documents_);
    }
    // The end of a list with a single group is not known before.
    if (index_ < count_) return true;
  }
  return false;
}

void PostingsReader::load(size_t number) {
  if (loaded_ == number) return;
  openTable();
  loaded_ = SIZE_MAX;
  hasPositions_ = false;
  if (allDecoded_ == nullptr) allDecoded_.reset(new Decoded[std::min(kDecoded, groupCount())]);
  decoded_ = &allDecoded_[number % kDecoded];
  documents_ = decoded_->documents;
  counts_ = decoded_->counts;
  count_ = std::min<size_t>(kGroup, entry_.documentCount - number * kGroup);
  if (decoded_->group != number) decode(number);
  loaded_ = number;
}

void PostingsReader::decode(size_t number) {
  decoded_->group = SIZE_MAX;
  decoded_->hasCounts = false;
  const Group &group = groups_[number];
  Input input(bytes(entry_.documents, group.start, group.size, postings_), group.size);
  unpack(input, count_, documents_);
  // Sums of 128 numbers of 32 bits do not overflow, and the last one is the highest.
  uint64_t next = number == 0 ? 0 : uint64_t{groups_[number - 1].last} + 1;
  for (size_t index = 0; index < count_; index++) {
    next += documents_[index];
    documents_[index] = static_cast<uint32_t>(next++);
  }
  if (next > uint64_t{group.last} + 1) throw Damaged();
  decoded_->group = number;
}

void PostingsReader::loadCounts() {
  if (shape_.hasCounts) {
    const Group &group = groups_[loaded_];
    Input input(bytes(entry_.documents, group.start, group.size, postings_), group.size);
    skipPacked(input, count_);
    unpack(input, count_, counts_);
    for (size_t index = 0; index < count_; index++) {
      if (counts_[index] == UINT32_MAX) throw Damaged();
      counts_[index]++;
    }
  } else {
    std::fill_n(counts_, count_, 1);
  }
  decoded_->hasCounts = true;
}

const uint32_t *PostingsReader::positions(size_t index) {
  if (!hasPositions_) loadPositions();
  return positions_.data() + starts_[index];
}

void PostingsReader::loadPositions() {
  const Group &group = groups_[loaded_];
  uint64_t total = 0;
  counts();
  for (size_t index = 0; index < count_; index++) {
    starts_[index] = static_cast<uint32_t>(total);
    total += counts_[index];
    // Only the first position of a document can be 0, so that a byte has at most eight of the others.
    if (total > UINT32_MAX || total / 8 > group.positionsSize + count_) throw Damaged();
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
      if (last > UINT32_MAX || (place > starts_[index] && positions_[place] == 0)) throw Damaged();
      positions_[place] = static_cast<uint32_t>(last);
    }
  }
  hasPositions_ = true;
}

}  // namespace todana::text
