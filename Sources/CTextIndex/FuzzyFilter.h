// A quick test that leaves out most words which differ from a word by too many changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana::text {

class FuzzyFilter {
 public:
  // `edits` is the most changes: scalars that are inserted, removed, replaced, or exchanged with the next one.
  FuzzyFilter(const uint8_t *word, size_t count, uint32_t edits) : word_(word, count), edits_(edits) {}

  bool mayMatch(const uint8_t *word, size_t count) const {
    const Scalars other(word, count);
    if (!word_.areValid || !other.areValid) return true;
    const size_t difference = word_.count < other.count ? other.count - word_.count : word_.count - other.count;
    // A change adds at most one letter to each word that the other one does not have.
    return difference <= edits_ && hasAtMost(edits_, word_.letters & ~other.letters) &&
           hasAtMost(edits_, other.letters & ~word_.letters);
  }

 private:
  // The scalars of a word in UTF-8: their number, and a bit for each by its lowest bits.
  struct Scalars {
    size_t count = 0;
    uint64_t letters = 0;
    bool areValid = true;

    Scalars(const uint8_t *bytes, size_t size) {
      for (size_t next = 0; next < size; count++) {
        const uint8_t first = bytes[next];
        const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if ((first >= 0x80 && first < 0xC2) || length > size - next) {
          areValid = false;
          return;
        }
        // The lowest six bits of a scalar are in its last byte.
        letters |= uint64_t{1} << (bytes[next + length - 1] & 0x3F);
        next += length;
      }
    }
  };

  static bool hasAtMost(uint32_t limit, uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      if (limit-- == 0) return false;
    }
    return true;
  }

  const Scalars word_;
  const uint32_t edits_;
};

}  // namespace todana::text
