// The parts of a Kyoto Cabinet hash file's layout that our own code reads and writes (docs/formats/cabinet-files.md).
// Functions and values: any thread.
//
// Layout: header 64 | free-block pool | bucket array | records and free blocks, one after another, to the end
//
// All of our files use 6-byte addresses, tree chaining and no compression.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace todana {

constexpr int64_t kHashHeaderSize = 64;
constexpr int kAddressSize = 6;

// The place in the header for the counts of packed rows. It is seven bytes that Kyoto Cabinet leaves unused. The first
// one shows whether there may be packs; the others have the number of rows minus the number of records.
constexpr int kPackedOffset = 25;
constexpr int kPackedSize = 7;

// Kyoto Cabinet's type numbers.
constexpr uint8_t kHashFileType = 0x30;
constexpr uint8_t kTreeFileType = 0x31;

// The first bytes of blocks in the record section.
constexpr uint8_t kShortPaddingMagic = 0xcc;  // a record with less than 256 bytes of padding
constexpr uint8_t kPaddingMagic = 0xee;       // the first byte of a padding, and the end of a free block's header
constexpr uint8_t kFreeBlockMagic = 0xdd;
constexpr int kRecordHeaderSize = 2 + 2 * kAddressSize;  // before the two lengths
constexpr int kFreeBlockHeaderSize = 2 + kAddressSize + 2;

constexpr uint32_t kFileFormatVersion = 1;

inline uint64_t readBigEndian(const char *bytes, int byteCount) {
  uint64_t number = 0;
  for (int i = 0; i < byteCount; i++) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

inline uint64_t readBigEndian64(const char *bytes) {
  uint64_t number;
  std::memcpy(&number, bytes, 8);
  return __builtin_bswap64(number);
}

inline uint64_t readAddress(const char *bytes) {
  uint32_t high;
  uint16_t low;
  std::memcpy(&high, bytes, 4);
  std::memcpy(&low, bytes + 4, 2);
  return static_cast<uint64_t>(__builtin_bswap32(high)) << 16 | __builtin_bswap16(low);
}

inline void writeBigEndian64(char *bytes, uint64_t number) {
  number = __builtin_bswap64(number);
  std::memcpy(bytes, &number, 8);
}

// Reads Kyoto Cabinet's variable-length numbers: big-endian groups of seven bits. Returns the end, or null if the
// number does not end before `end` or has more than 63 bits.
inline const char *readVarnum(const char *bytes, const char *end, uint64_t *number) {
  if (bytes < end && static_cast<uint8_t>(*bytes) < 0x80) {
    *number = static_cast<uint8_t>(*bytes);
    return bytes + 1;
  }
  uint64_t value = 0;
  for (int i = 0; i < 9 && bytes < end; i++) {
    uint8_t byte = static_cast<uint8_t>(*bytes++);
    value = value << 7 | (byte & 0x7f);
    if (byte < 0x80) {
      *number = value;
      return bytes;
    }
  }
  return nullptr;
}

// The place of a record. `bucket` is taken modulo the bucket count; `pivot` orders the tree of one bucket.
struct KeyHash {
  uint64_t bucket;
  uint32_t pivot;
};

// Hashes a key with Kyoto Cabinet's MurmurHash64A (`hashmurmur`) and `fold_hash`.
inline KeyHash hashKey(const char *key, size_t length) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995ULL;
  uint64_t hash = 19780211ULL ^ (length * kMultiplier);
  for (; length >= 8; key += 8, length -= 8) {
    uint64_t word;
    std::memcpy(&word, key, 8);
    word *= kMultiplier;
    word ^= word >> 47;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  if (length > 0) {
    uint64_t word = 0;
    std::memcpy(&word, key, length);
    hash = (hash ^ word) * kMultiplier;
  }
  hash ^= hash >> 47;
  hash *= kMultiplier;
  hash ^= hash >> 47;
  uint32_t high = static_cast<uint32_t>(hash >> 48) | static_cast<uint32_t>((hash & 0x0000ffff00000000ULL) >> 16);
  uint32_t low = static_cast<uint32_t>((hash & 0xffff) << 16) | static_cast<uint32_t>((hash & 0xffff0000ULL) >> 16);
  return {hash, high ^ low};
}

// Offsets of header fields that are read separately.
constexpr int kHeaderType = 8;
constexpr int kHeaderBucketCount = 16;
constexpr int kHeaderCount = 32;
constexpr int kHeaderNextRow = 48;  // the 16 opaque bytes, which Kyoto Cabinet leaves to its users
constexpr int kHeaderKeyspace = 56;

// Returns the offset of the bucket array, which follows the free-block pool.
inline int64_t bucketStartFor(int freeBlockPower) {
  if (freeBlockPower == 0) return kHashHeaderSize;
  return kHashHeaderSize + kAddressSize * (1LL << freeBlockPower) + 2 * kAddressSize + 2;
}

inline int64_t recordStartFor(int64_t bucketStart, int64_t bucketCount, int alignmentPower) {
  int64_t alignment = 1LL << alignmentPower;
  return (bucketStart + kAddressSize * bucketCount + alignment - 1) & ~(alignment - 1);
}

constexpr int64_t kMaximumBucketCount = 1LL << 36;

// A row id as a key. A value: any thread. It takes as few bytes as possible (one for 0), most significant first. In a
// file of small records, keys and headers fill the larger part.
struct RowKey {
  char bytes[8];
  uint32_t length;

  explicit RowKey(uint64_t row) {
    length = static_cast<uint32_t>((64 - __builtin_clzll(row | 1) + 7) / 8);
    uint64_t shifted = __builtin_bswap64(row << (64 - 8 * length));
    std::memcpy(bytes, &shifted, 8);
  }

  // Parses a key. Returns false if the bytes are not the key of a row.
  static bool parse(const char *key, size_t length, uint64_t *row) {
    if (length < 1 || length > 8 || (length > 1 && key[0] == 0)) return false;
    *row = readBigEndian(key, static_cast<int>(length));
    return true;
  }
};

}  // namespace todana
