#include "SegmentWriter.h"

#include <algorithm>
#include <utility>

namespace todana::text {

SegmentWriter::SegmentWriter(
  PageSink &sink, RowTable rows, std::vector<uint32_t> lengths, bool keepsPositions, bool hasGrams)
    : pages_(sink), rows_(std::move(rows)), lengths_(std::move(lengths)), dictionary_(pages_, keepsPositions) {
  info_.keepsPositions = keepsPositions;
  info_.hasGrams = hasGrams;
  info_.rowCount = rows_.count();
  info_.firstRow = rows_.first();
  info_.lastRow = rows_.last();
}

SegmentInfo SegmentWriter::finish() {
  dictionary_.finish();
  StreamWriter rows(pages_, Part::rows);
  rows_.write(rows);
  info_.rowsSize = rows.address();
  rows.finish();
  writeLengths();
  info_.termCount = dictionary_.termCount();
  info_.dictionarySize = dictionary_.dictionarySize();
  info_.fencesSize = dictionary_.fencesSize();
  info_.postingsSize = dictionary_.postingsSize();
  info_.positionsSize = dictionary_.positionsSize();
  info_.pageCount = pages_.pageCount();
  info_.directorySize = pages_.finish();
  return info_;
}

void SegmentWriter::writeLengths() {
  uint32_t most = 0;
  for (const uint32_t length : lengths_) {
    most = std::max(most, length);
    info_.wordCount += length;
  }
  info_.lengthSize = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
  StreamWriter stream(pages_, Part::lengths);
  for (const uint32_t length : lengths_) {
    uint8_t bytes[4];
    for (uint8_t index = 0; index < info_.lengthSize; index++) bytes[index] = static_cast<uint8_t>(length >> 8 * index);
    stream.append(bytes, info_.lengthSize);
  }
  stream.finish();
}

}  // namespace todana::text
