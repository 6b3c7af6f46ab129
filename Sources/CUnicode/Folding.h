// Folding of texts: of case only, or also of accents and compatibility forms.
#pragma once

#include <cstdint>
#include <vector>

#include "Bytes.h"

namespace todana::unicode {

enum class Folding {
  caseAndAccents,  // NFKC_Casefold, without accents
  caseOnly,        // full case folding
};

// A place where a part of the source begins in the folded text. Parts do not overlap, and each is folded by itself.
struct FoldedPart {
  uint32_t folded;
  uint32_t source;
};

// Folds the ASCII bytes before the first other byte, and returns their number.
size_t foldASCII(const uint8_t *source, size_t count, uint8_t *output);

// Folds a text in UTF-8, and appends the result, which is composed (NFC), so that canonically equivalent texts give the
// same bytes. Invalid bytes are folded as replacement characters. With `parts`, notes the beginning of each part.
void fold(const uint8_t *source, size_t count, Folding folding, Bytes &output, std::vector<FoldedPart> *parts);

// Replaces each run of spaces, tabs, line breaks and other white space in a folded text by one space. With `trims`,
// removes those at both ends.
void squeezeSpaces(Bytes &text, bool trims, std::vector<FoldedPart> *parts);

// Composes a text (NFC), for the conformance tests.
std::vector<uint32_t> composed(const std::vector<uint32_t> &scalars);

}  // namespace todana::unicode
