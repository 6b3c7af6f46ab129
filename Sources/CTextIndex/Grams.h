// The grams of a text, by which substrings are found.
//
// A mark stands before and after a text, and one more after it. Each scalar, and the mark before the text, begins one
// gram: of two scalars if one of them is from U+2E80 on, as those of Chinese, Japanese and Korean are, and otherwise of
// three.
#pragma once

#include "Terms.h"

namespace todana::text {

// Not a scalar of Unicode. It is encoded as if it were one.
constexpr uint32_t kTextMark = 0x110000;
constexpr uint32_t kFirstWide = 0x2E80;

// Marks are no scalars of texts, and do not make a gram shorter.
inline bool isWide(uint32_t scalar) { return scalar >= kFirstWide && scalar != kTextMark; }

// Returns the number of scalars of the gram that begins with these two.
inline size_t gramLength(uint32_t first, uint32_t second) { return isWide(first) || isWide(second) ? 2 : 3; }

// Decodes UTF-8; an invalid byte is U+FFFD.
void appendScalars(const uint8_t *bytes, size_t count, std::vector<uint32_t> &scalars);

// Appends the key of a gram, or the beginning of such keys.
void appendGramKey(const uint32_t *scalars, size_t count, Bytes &key);

}  // namespace todana::text
