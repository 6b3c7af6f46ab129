// The segmentation of texts into words (Unicode Standard Annex 29).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace todana::unicode {

struct Segment {
  uint32_t start;
  uint32_t end;
};

// Appends the segments of a text in UTF-8 that are words: those with a letter, a digit, an emoji or a flag. With
// `includesOthers`, appends all segments, also spaces and punctuation.
void findWords(const uint8_t *text, size_t count, bool includesOthers, std::vector<Segment> &segments);

}  // namespace todana::unicode
