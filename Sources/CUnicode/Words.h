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

enum class Segmentation {
  all,    // all segments by the default rules of the annex, also spaces and punctuation
  words,  // those with a letter, a digit, an emoji or a flag; each katakana is a word, as each other character of
          // Chinese and Japanese is by the default rules
};

// Appends the segments of a text in UTF-8.
void findSegments(const uint8_t *text, size_t count, Segmentation segmentation, std::vector<Segment> &segments);

}  // namespace todana::unicode
