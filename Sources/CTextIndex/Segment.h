// The description of a segment, and the reading of what all searches need.
#pragma once

#include <memory>

#include "DictionaryReader.h"
#include "RowTable.h"

namespace todana::text {

// The description of a segment, which a caller keeps beside its pages. Its bytes are a format number and varints, in this order.
struct SegmentInfo {
  bool keepsPositions = false;
  bool hasGrams = false;
  uint32_t rowCount = 0;
  uint64_t wordCount = 0;  // of all rows
  uint64_t termCount = 0;
  uint8_t lengthSize = 1;  // bytes per length: 1, 2 or 4
  uint64_t dictionarySize = 0;
  uint64_t fencesSize = 0;
  uint64_t postingsSize = 0;
  uint64_t positionsSize = 0;
  uint64_t rowsSize = 0;
  uint64_t pageCount = 0;  // without the directory
  uint64_t directorySize = 0;
  uint64_t firstRow = 0;
  uint64_t lastRow = 0;

  uint64_t lengthsSize() const { return uint64_t{rowCount} * lengthSize; }

  Bytes encoded() const;
  // Throws Damaged.
  static SegmentInfo decode(const uint8_t *bytes, size_t count);
};

// The parts of a segment that are kept in memory. Threads may share them.
struct SegmentTables {
  SegmentInfo info;
  // Differs from that of all other tables of the process.
  uint64_t number;
  PageMap pages;
  RowTable rows;
  Fences fences;
  // The numbers of words of all documents, as they are stored.
  Bytes lengths;

  uint32_t length(uint32_t document) const {
    if (info.lengthSize == 1) return lengths[document];
    const uint8_t *const bytes = lengths.data() + size_t{document} * info.lengthSize;
    uint32_t length = 0;
    for (uint8_t index = 0; index < info.lengthSize; index++) length |= static_cast<uint32_t>(bytes[index]) << 8 * index;
    return length;
  }

  // Reads the tables. Throws Damaged, CallerFailed.
  static std::shared_ptr<const SegmentTables> read(const SegmentInfo &info, PageSource &source);
};

// An open segment, for one thread at a time.
class Segment {
 public:
  // `cache` may be null.
  Segment(std::shared_ptr<const SegmentTables> tables, PageSource &source, PageCache *cache);

  const SegmentInfo &info() const { return tables_->info; }
  const RowTable &rows() const { return tables_->rows; }
  uint32_t rowCount() const { return tables_->info.rowCount; }

  DictionaryCursor cursor() { return DictionaryCursor(tables_->fences, dictionary_, info().keepsPositions); }
  PostingsReader postings(const DictionaryCursor &cursor);

  // The number of words of a document.
  uint32_t length(uint32_t document) const { return tables_->length(document); }

 private:
  const std::shared_ptr<const SegmentTables> tables_;
  SegmentPages source_;
  StreamReader dictionary_;
  StreamReader postings_;
  StreamReader positions_;
};

}  // namespace todana::text
