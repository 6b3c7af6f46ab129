#include "RowTable.h"

#include <algorithm>
#include <stdexcept>

namespace todana::text {

void RowTable::add(uint64_t row) {
  if (count_ == UINT32_MAX) throw std::length_error("too many rows in a segment");
  if (count_ == 0 || row != last() + 1) runs_.push_back({row, count_});
  count_++;
}

void RowTable::write(StreamWriter &stream) const {
  Bytes bytes;
  uint64_t next = 0;
  for (size_t run = 0; run < runs_.size(); run++) {
    appendVarint(bytes, runs_[run].row - next);
    appendVarint(bytes, length(run));
    next = runs_[run].row + length(run);
    if (bytes.size() < kPageSize) continue;
    stream.append(bytes);
    bytes.clear();
  }
  stream.append(bytes);
}

void RowTable::read(StreamReader &stream, uint32_t count) {
  const Bytes bytes = stream.readAll();
  Input input(bytes.data(), bytes.size());
  uint64_t next = 0;
  while (!input.isAtEnd()) {
    const uint64_t gap = input.varint();
    const uint64_t length = input.varint(count - count_);
    if (length == 0 || gap > UINT64_MAX - next || length > UINT64_MAX - next - gap) throw Damaged();
    runs_.push_back({next + gap, count_});
    count_ += static_cast<uint32_t>(length);
    next += gap + length;
  }
  if (count_ != count) throw Damaged();
}

uint64_t RowTable::row(uint32_t document) const {
  const auto after = std::upper_bound(
    runs_.begin(), runs_.end(), document, [](uint32_t value, const Run &run) { return value < run.document; });
  const Run &run = *(after - 1);
  return run.row + (document - run.document);
}

uint32_t RowTable::countBefore(uint64_t row) const {
  const auto after = std::upper_bound(
    runs_.begin(), runs_.end(), row, [](uint64_t value, const Run &run) { return value < run.row; });
  if (after == runs_.begin()) return 0;
  const size_t run = static_cast<size_t>(after - runs_.begin()) - 1;
  return runs_[run].document + static_cast<uint32_t>(std::min<uint64_t>(row - runs_[run].row, length(run)));
}

std::optional<uint32_t> RowTable::document(uint64_t row) const {
  const uint32_t document = countBefore(row);
  if (document == count_ || this->row(document) != row) return std::nullopt;
  return document;
}

}  // namespace todana::text
