// Tables of the Unicode Character Database, and the lookups in them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace todana::unicode {

// The values of Word_Break (Unicode Standard Annex 29), in the order of Scripts/generate-unicode-tables.
enum class WordBreak : uint8_t {
  other, cr, lf, newline, extend, zwj, regionalIndicator, format, katakana, hebrewLetter, aLetter, singleQuote,
  doubleQuote, midNumLet, midLetter, midNum, numeric, extendNumLet, wSegSpace,
};

struct Property {
  static constexpr uint16_t kItself = 0xFFFF;

  // The places in `kPool` of the scalar without case and accents, and without case only; `kItself` if nothing changes.
  uint16_t folded;
  uint16_t caseFolded;
  uint8_t foldedLength;
  uint8_t caseFoldedLength;
  uint8_t combining;  // the canonical combining class
  uint8_t wordBreakNumber;
  uint8_t flags;

  WordBreak wordBreak() const { return static_cast<WordBreak>(wordBreakNumber); }
  // Whether the scalar, folded, may combine with the ones before it.
  bool isAttached() const { return flags & 1; }
  // Whether a segment with this scalar is a word.
  bool isOfWord() const { return flags & 2; }
  bool isPictographic() const { return flags & 4; }
  bool isSpace() const { return flags & 8; }
};

extern const char kVersion[];
extern const Property kProperties[];
extern const uint16_t kFirstStage[], kSecondStage[];
extern const uint8_t kPool[];

extern const size_t kDecompositionCount, kCompositionCount;
extern const uint32_t kDecomposed[], kDecompositions[], kCompositions[];
extern const uint16_t kDecompositionStarts[];
extern const uint64_t kComposedPairs[];

constexpr uint32_t kReplacement = 0xFFFD;

inline const Property &property(uint32_t scalar) {
  return kProperties[kSecondStage[kFirstStage[scalar >> 7] << 7 | (scalar & 0x7F)]];
}

}  // namespace todana::unicode
