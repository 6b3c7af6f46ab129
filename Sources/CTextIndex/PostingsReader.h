// Reads a list of postings group by group (PostingsWriter.h).
#pragma once

#include <algorithm>
#include <memory>

#include "DocumentSet.h"
#include "Pages.h"
#include "PostingsWriter.h"

namespace todana::text {

// The bytes of a part of a list: in the dictionary's page, or in a stream.
struct ListBytes {
  bool isInStream = false;
  uint64_t address = 0;  // in the stream
  uint64_t size = 0;
  Bytes bytes;  // if they are not in a stream
};

// The entry of a term in the dictionary.
struct TermEntry {
  uint32_t documentCount = 0;
  ListBytes documents;
  ListBytes positions;
};

class PostingsReader {
 public:
  // `rowCount` is the number of documents of the segment.
  PostingsReader(
    TermEntry entry, const ListShape &shape, uint32_t rowCount, StreamReader &postings, StreamReader &positions);

  uint32_t documentCount() const { return entry_.documentCount; }

  size_t groupCount() const { return (size_t{entry_.documentCount} + kGroup - 1) / kGroup; }
  // Calls back with the impacts of a group: a count and a length each. The table of the list must have them.
  template <typename Body>
  void forEachImpact(size_t group, Body body) {
    openTable();
    const size_t end = group + 1 < groups_.size() ? groups_[group + 1].firstImpact : impacts_.size();
    for (size_t index = groups_[group].firstImpact; index < end; index++) {
      body(impacts_[index].count, impacts_[index].length);
    }
  }
  bool hasImpacts() const { return shape_.isRanked && groupCount() > 1; }
  // Calls back with the impacts of all groups that have documents of a window. Windows come in ascending order.
  template <typename Body>
  void forEachImpact(const Window &window, Body body);

  // Moves to the first document that is `document` or a later one. Returns false if there is none.
  bool seek(uint32_t document) {
    if (loaded_ != group_ || document < sought_ || documents_[count_ - 1] < document) return seekGroup(document);
    // It is often one of the next documents.
    sought_ = document;
    for (size_t left = kFewDocuments; documents_[index_] < document; index_++) {
      if (left-- == 0) return seekGroup(document);
    }
    return true;
  }
  // The document at which the list is. Only after a call of `seek` that has returned true.
  uint32_t document() const { return documents_[index_]; }
  // The number of its places.
  uint32_t placeCount() { return counts()[index_]; }
  // Its positions. The pointer is valid until the list moves.
  const uint32_t *positions() { return positions(index_); }

  // Calls back with each document of a window, and the number of its places if this is wanted, otherwise 1.
  template <bool withCounts, typename Body>
  void forEach(const Window &window, Body body);

  // Returns the first group whose last document is `document` or a later one; groupCount() if there is none.
  size_t group(uint32_t document);

  // Loads a group, whose documents and counts then are the current ones. `seek` moves to another one.
  void load(size_t group);
  size_t count() const { return count_; }
  const uint32_t *documents() const { return documents_; }
  // The numbers of places of the documents; all 1 if the list has no counts.
  const uint32_t *counts() {
    if (!decoded_->hasCounts) loadCounts();
    return counts_;
  }

  // Returns the positions in the current document with this index. The pointer is valid until the next call of `load`.
  const uint32_t *positions(size_t index);
  // The number of all places of the current group, whose positions follow each other.
  size_t totalPlaceCount() {
    if (!hasPositions_) loadPositions();
    return positions_.size();
  }

 private:
  struct Group {
    uint32_t last = 0;
    uint64_t start = 0;
    uint64_t size = 0;
    uint64_t positionsStart = 0;
    uint64_t positionsSize = 0;
    size_t firstImpact = 0;
  };

  // Reads the table of the groups, which only the walk through the list needs.
  void openTable() {
    if (groups_.empty()) readTable();
  }
  // As `seek`, in any group.
  bool seekGroup(uint32_t document);
  void readTable();
  void readTable(std::vector<Group> &groups);
  void readImpacts(Input &table, Group &group);
  // Returns bytes of a part of the list, which are valid until the next call.
  const uint8_t *bytes(const ListBytes &part, uint64_t offset, uint64_t count, StreamReader &stream);
  void decode(size_t group);
  void loadCounts();
  void loadPositions();

  TermEntry entry_;
  const ListShape shape_;
  const uint32_t rowCount_;
  StreamReader &postings_;
  StreamReader &positionStream_;
  // The number of documents that are passed one by one before others are skipped.
  static constexpr size_t kFewDocuments = 8;
  std::vector<Group> groups_;
  Impacts impacts_;
  Bytes buffer_;

  // The place to which `seek` has moved: the document that was looked for, the group, and the index in the group.
  uint32_t sought_ = 0;
  size_t group_ = 0;
  size_t index_ = 0;
  // The group at which the last window of impacts has ended.
  size_t impactGroup_ = 0;

  // The documents and the counts of a group.
  struct Decoded {
    size_t group = SIZE_MAX;
    bool hasCounts = false;
    uint32_t documents[kGroup];
    uint32_t counts[kGroup];
  };

  // The number of groups that stay decoded: a search finds the documents of a window first, and then scores some of them.
  static constexpr size_t kDecoded = 4;
  std::unique_ptr<Decoded[]> allDecoded_;
  // The current group: its number, its number of documents, and its place in memory.
  size_t loaded_ = SIZE_MAX;
  size_t count_ = 0;
  Decoded *decoded_ = nullptr;
  uint32_t *documents_ = nullptr;
  uint32_t *counts_ = nullptr;
  // The positions of the current group, and where those of each document begin.
  bool hasPositions_ = false;
  std::vector<uint32_t> positions_;
  uint32_t starts_[kGroup + 1];
};

template <typename Body>
void PostingsReader::forEachImpact(const Window &window, Body body) {
  openTable();
  size_t next = impactGroup_;
  if (groups_[next].last < window.first || (next > 0 && groups_[next - 1].last >= window.first)) {
    next = group(window.first);
  }
  for (; next < groups_.size(); next++) {
    impactGroup_ = next;
    forEachImpact(next, body);
    if (groups_[next].last >= window.end() - 1) break;
  }
}

template <bool withCounts, typename Body>
void PostingsReader::forEach(const Window &window, Body body) {
  const uint64_t end = window.end();
  for (bool isInside = seek(window.first); isInside && document() < end; isInside = seek(documents_[count_ - 1] + 1)) {
    // Only the last group of a window has documents of the next one.
    const size_t stop = documents_[count_ - 1] < end
                          ? count_
                          : static_cast<size_t>(
                              std::lower_bound(documents_ + index_, documents_ + count_, end) - documents_);
    if (withCounts) counts();
    for (size_t index = index_; index < stop; index++) body(documents_[index], withCounts ? counts_[index] : 1);
    if (stop == count_) continue;
    index_ = stop;
    sought_ = documents_[stop];
    return;
  }
}

}  // namespace todana::text
