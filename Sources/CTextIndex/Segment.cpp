#include "Segment.h"

#include <atomic>

namespace todana::text {

namespace {

constexpr uint8_t kFormat = 2;

}  // namespace

Bytes SegmentInfo::encoded() const {
  Bytes bytes = {kFormat};
  for (const uint64_t value :
       {uint64_t{keepsPositions}, uint64_t{hasGrams}, uint64_t{rowCount}, wordCount, termCount, uint64_t{lengthSize},
        dictionarySize, fencesSize, postingsSize, positionsSize, rowsSize, pageCount, directorySize, firstRow,
        lastRow}) {
    appendVarint(bytes, value);
  }
  return bytes;
}

SegmentInfo SegmentInfo::decode(const uint8_t *bytes, size_t count) {
  Input input(bytes, count);
  if (input.byte() != kFormat) throw Damaged();
  SegmentInfo info;
  info.keepsPositions = input.varint(1) == 1;
  info.hasGrams = input.varint(1) == 1;
  info.rowCount = static_cast<uint32_t>(input.varint(UINT32_MAX));
  info.wordCount = input.varint();
  info.termCount = input.varint();
  info.lengthSize = static_cast<uint8_t>(input.varint(4));
  info.dictionarySize = input.varint();
  info.fencesSize = input.varint();
  info.postingsSize = input.varint();
  info.positionsSize = input.varint();
  info.rowsSize = input.varint();
  info.pageCount = input.varint();
  info.directorySize = input.varint();
  info.firstRow = input.varint();
  info.lastRow = input.varint();
  if (!input.isAtEnd() || info.lengthSize == 0 || info.lengthSize == 3) throw Damaged();
  if (info.dictionarySize % kPageSize != 0) throw Damaged();
  return info;
}

std::shared_ptr<const SegmentTables> SegmentTables::read(const SegmentInfo &info, PageSource &source) {
  auto tables = std::make_shared<SegmentTables>();
  static std::atomic<uint64_t> lastNumber;
  tables->info = info;
  tables->number = ++lastNumber;
  SegmentPages pages(source, tables->number, nullptr);
  tables->pages.read(pages, info.pageCount, info.directorySize);
  StreamReader rows(pages, tables->pages, Part::rows, info.rowsSize);
  tables->rows.read(rows, info.rowCount);
  if (tables->rows.first() != info.firstRow || tables->rows.last() != info.lastRow) throw Damaged();
  StreamReader fences(pages, tables->pages, Part::fences, info.fencesSize);
  tables->fences.read(fences, info.dictionarySize / kPageSize);
  StreamReader lengths(pages, tables->pages, Part::lengths, info.lengthsSize());
  tables->lengths = lengths.readAll();
  return tables;
}

Segment::Segment(std::shared_ptr<const SegmentTables> tables, PageSource &source, PageCache *cache)
    : tables_(std::move(tables)), source_(source, tables_->number, cache), dictionary_(source_, tables_->pages, Part::dictionary, info().dictionarySize),
      postings_(source_, tables_->pages, Part::postings, info().postingsSize),
      positions_(source_, tables_->pages, Part::positions, info().positionsSize) {}

PostingsReader Segment::postings(const DictionaryCursor &cursor) {
  const ListShape form = shape(static_cast<uint8_t>(cursor.key()[0]), info().keepsPositions);
  return PostingsReader(cursor.entry(), form, rowCount(), postings_, positions_);
}

}  // namespace todana::text
