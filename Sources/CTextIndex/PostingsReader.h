// Reads a list of postings group by group (PostingsWriter.h).
#pragma once

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

  size_t groupCount() const { return groups_.size(); }
  // The last document of a group.
  uint32_t last(size_t group) const { return groups_[group].last; }
  uint32_t highestCount(size_t group) const { return groups_[group].highestCount; }
  uint32_t leastLength(size_t group) const { return groups_[group].leastLength; }

  // Returns the first group whose last document is `document` or a later one; groupCount() if there is none.
  size_t group(uint32_t document) const;

  // Loads a group, whose documents and counts then are the current ones.
  void load(size_t group);
  size_t count() const { return count_; }
  const uint32_t *documents() const { return documents_; }
  // The numbers of places of the documents; all 1 if the list has no counts.
  const uint32_t *counts() const { return counts_; }

  // Returns the positions in the current document with this index. The pointer is valid until the next call of `load`.
  const uint32_t *positions(size_t index);

 private:
  struct Group {
    uint32_t last = 0;
    uint64_t start = 0;
    uint64_t size = 0;
    uint64_t positionsStart = 0;
    uint64_t positionsSize = 0;
    uint32_t highestCount = UINT32_MAX;
    uint32_t leastLength = 0;
  };

  void readTable();
  // Returns bytes of a part of the list, which are valid until the next call.
  const uint8_t *bytes(const ListBytes &part, uint64_t offset, uint64_t count, StreamReader &stream);
  void loadPositions();

  TermEntry entry_;
  const ListShape shape_;
  const uint32_t rowCount_;
  StreamReader &postings_;
  StreamReader &positionStream_;
  std::vector<Group> groups_;
  uint64_t groupsStart_ = 0;
  Bytes buffer_;

  size_t loaded_ = SIZE_MAX;
  size_t count_ = 0;
  uint32_t documents_[kGroup];
  uint32_t counts_[kGroup];
  // The positions of the current group, and where those of each document begin.
  bool hasPositions_ = false;
  std::vector<uint32_t> positions_;
  uint32_t starts_[kGroup + 1];
};

}  // namespace todana::text
