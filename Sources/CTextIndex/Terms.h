// The keys of a segment's dictionary.
//
// A key is a byte with its kind, and
//
//   gram   its scalars in UTF-8
//   word   the number of the property, and the folded word in UTF-8
//   stem   the number of the property, and the stem in UTF-8
//
// A word of more than 200 bytes has a key of its first 200 bytes, the byte 255, which UTF-8 does not have, and 8 bytes
// of a hash of all its bytes.
#pragma once

#include <string_view>

#include "PostingsWriter.h"

namespace todana::text {

using Key = std::string_view;

enum class TermKind : uint8_t { gram = 1, word = 2, stem = 3 };

constexpr size_t kLongestWord = 200;
constexpr uint8_t kCutMark = 0xFF;
constexpr size_t kLongestKey = 2 + kLongestWord + 1 + 8;

// The number of positions between the last word of a text and the first one of the next text of a list. No phrase
// reaches across, and neither do most distances.
constexpr uint32_t kTextGap = 256;

inline uint64_t hash(const uint8_t *bytes, size_t count) {
  // FNV-1a.
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t index = 0; index < count; index++) hash = (hash ^ bytes[index]) * 0x100000001B3;
  return hash;
}

// Appends the key of a word or a stem.
inline void appendKey(TermKind kind, uint8_t column, const uint8_t *bytes, size_t count, Bytes &key) {
  key.push_back(static_cast<uint8_t>(kind));
  key.push_back(column);
  key.insert(key.end(), bytes, bytes + (count > kLongestWord ? kLongestWord : count));
  if (count <= kLongestWord) return;
  key.push_back(kCutMark);
  const uint64_t hashed = hash(bytes, count);
  for (int shift = 0; shift < 64; shift += 8) key.push_back(static_cast<uint8_t>(hashed >> shift));
}

inline Key asKey(const Bytes &bytes) { return Key(reinterpret_cast<const char *>(bytes.data()), bytes.size()); }

// Returns whether a key has only the first bytes of a word.
inline bool isCut(Key key) {
  return key.size() == kLongestKey && static_cast<uint8_t>(key[2 + kLongestWord]) == kCutMark;
}

// Returns the form of the lists of a kind of terms.
inline ListShape shape(uint8_t kind, bool keepsPositions) {
  const bool isGram = kind == static_cast<uint8_t>(TermKind::gram);
  return {!isGram || keepsPositions, !isGram, keepsPositions};
}

}  // namespace todana::text
