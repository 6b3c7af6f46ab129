// The format byte of an envelope: a base and flags (docs/formats/record-envelope.md).
#pragma once

#include <cstdint>

namespace todana {

constexpr uint8_t kPlainFormat = 0x10;
constexpr uint8_t kSealedFormat = 0x20;

constexpr uint8_t kKeptFlag = 0x01;        // the record's previous token is at the end
constexpr uint8_t kPaddedFlag = 0x02;      // the content is padded; only in sealed envelopes
constexpr uint8_t kCompressedFlag = 0x04;  // reserved: the content is compressed

inline bool isPlainFormat(uint8_t format) { return (format & ~kKeptFlag) == kPlainFormat; }
inline bool isSealedFormat(uint8_t format) { return (format & ~(kKeptFlag | kPaddedFlag)) == kSealedFormat; }
inline bool keepsToken(uint8_t format) { return format & kKeptFlag; }
inline bool isPadded(uint8_t format) { return format & kPaddedFlag; }

// Returns the format byte of a sealed envelope.
inline uint8_t sealedFormat(bool keepsToken, bool isPadded) {
  return static_cast<uint8_t>(kSealedFormat | (keepsToken ? kKeptFlag : 0) | (isPadded ? kPaddedFlag : 0));
}

}  // namespace todana
