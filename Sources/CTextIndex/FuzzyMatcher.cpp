#include "FuzzyMatcher.h"

#include <algorithm>

namespace todana::text {

namespace {

// Reads the scalar at `next` and moves behind it. Returns false if the bytes are no UTF-8.
bool readScalar(const uint8_t *bytes, size_t count, size_t &next, uint32_t &scalar) {
  const uint8_t first = bytes[next];
  const size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || size > count - next) return false;
  scalar = size == 1 ? first : first & (0xFFu >> (size + 1));
  for (size_t index = 1; index < size; index++) {
    if ((bytes[next + index] & 0xC0) != 0x80) return false;
    scalar = scalar << 6 | (bytes[next + index] & 0x3Fu);
  }
  next += size;
  return true;
}

}  // namespace

FuzzyMatcher::FuzzyMatcher(const Bytes &word, uint32_t edits) : edits_(std::min<uint32_t>(edits, 100)) {
  uint32_t scalar = 0;
  for (size_t next = 0; isValid_ && next < word.size();) {
    isValid_ = readScalar(word.data(), word.size(), next, scalar);
    pattern_.push_back(scalar);
  }
  rows_.push_back({});
  distances_.resize(pattern_.size() + 1);
  for (size_t index = 0; index < distances_.size(); index++) {
    distances_[index] = static_cast<uint8_t>(std::min<size_t>(index, edits_ + 1));
  }
}

bool FuzzyMatcher::mayMatch(const uint8_t *word, size_t count) {
  if (!isValid_) return true;
  const size_t most = std::min(count, last_.size());
  const size_t common = static_cast<size_t>(std::mismatch(word, word + most, last_.begin()).first - word);
  if (excludedSize_ > 0 && common >= excludedSize_) return false;
  excludedSize_ = 0;
  while (rows_.back().end > common) rows_.pop_back();
  last_.assign(word, word + count);
  for (size_t next = rows_.back().end; next < count;) {
    uint32_t scalar = 0;
    if (!readScalar(word, count, next, scalar)) {
      last_.resize(rows_.back().end);
      return true;
    }
    addRow(scalar, next);
    if (rows_.back().least > edits_) {
      excludedSize_ = next;
      return false;
    }
  }
  // The last row ends before the pattern if the word is shorter by more changes.
  return pattern_.size() < rows_.size() + edits_ && distances(rows_.size() - 1)[pattern_.size()] <= edits_;
}

void FuzzyMatcher::addRow(uint32_t scalar, size_t end) {
  const size_t depth = rows_.size();
  if (distances_.size() < (depth + 1) * (pattern_.size() + 1)) distances_.resize((depth + 1) * (pattern_.size() + 1));
  const uint8_t *const above = distances(depth - 1);
  uint8_t *const row = distances(depth);
  const auto limited = [&](size_t distance) { return static_cast<uint8_t>(std::min<size_t>(distance, edits_ + 1)); };
  // Distances outside of this band are too large.
  const size_t first = depth > edits_ ? depth - edits_ : 1;
  const size_t last = std::min<size_t>(pattern_.size(), depth + edits_);
  row[first - 1] = limited(first == 1 ? depth : edits_ + 1);
  uint32_t least = row[first - 1];
  for (size_t index = first; index <= last; index++) {
    const bool isEqual = pattern_[index - 1] == scalar;
    size_t distance = std::min<size_t>({above[index] + 1u, row[index - 1] + 1u, above[index - 1] + (isEqual ? 0u : 1u)});
    if (depth > 1 && index > 1 && pattern_[index - 2] == scalar && pattern_[index - 1] == rows_[depth - 1].scalar) {
      distance = std::min<size_t>(distance, distances(depth - 2)[index - 2] + 1u);
    }
    row[index] = limited(distance);
    least = std::min<uint32_t>(least, row[index]);
  }
  if (last < pattern_.size()) row[last + 1] = limited(edits_ + 1);
  rows_.push_back({scalar, end, least});
}

}  // namespace todana::text
