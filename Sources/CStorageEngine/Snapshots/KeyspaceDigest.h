// The digest of a keyspace's contents: the number of records, and the XOR of a term for each (docs/formats/states.md).
// Reading all records detects any that were removed, restored or added without a commit.
//
// In an encrypted store the terms are MACs, and the digest is stored sealed.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "KeyspaceDigestMac.h"

namespace todana {

// The digest as of a commit. Keyspace and SnapshotPart have one; DigestFile stores it. A value; its owner names the
// lock under which it is read.
struct DigestEntry {
  static constexpr size_t kDigestSize = KeyspaceDigestMac::kBlockSize;

  uint64_t count = 0;
  KeyspaceDigestMac::Value digest{};
  // Lowest key generation in use: records, digest and names are protected by this generation or a newer one. 0: not
  // encrypted.
  uint32_t keyGeneration = 0;

  bool operator==(const DigestEntry &other) const {
    return count == other.count && digest == other.digest && keyGeneration == other.keyGeneration;
  }
  bool operator!=(const DigestEntry &other) const { return !(*this == other); }
};

// A digest being computed. The same call adds a record or removes it again.
//
// KeyspaceWriter and KeyspaceLoader note changes in one; KeyspaceDigestSum and DigestRekeying compute with one. One
// thread at a time: the one in Keyspace belongs to the committing thread.
class KeyspaceDigest {
 public:
  using Sum = KeyspaceDigestMac::Value;

  KeyspaceDigest(const KeyRing *ring, uint32_t keyGeneration, uint32_t keyspace)
      : keyGeneration_(keyGeneration), mac_(ring, keyGeneration, keyspace) {}

  // Returns the generation of the keys; 0 without keys.
  uint32_t keyGeneration() const { return keyGeneration_; }

  void toggleRow(uint64_t row, uint64_t token) {
    const Block block{row, token};
    if (!mac_.isKeyed()) {
      const WideSum term = mac_.hash(block.data(), sizeof block);
      sum_[0] ^= term.low;
      sum_[1] ^= term.high;
      return;
    }
    blocks_[blockCount_++] = block;
    if (blockCount_ == kBlocks) flush();
  }
  void toggleKey(std::string_view key, uint64_t token);
  // Adds or removes an entry of a tree, whose values have no tokens.
  void toggleEntry(std::string_view key, std::string_view value);

  // Returns the sum of all terms since the last call.
  Sum take();

 private:
  static constexpr size_t kBlocks = 128;
  using Block = std::array<uint64_t, 2>;
  static_assert(sizeof(Block) == KeyspaceDigestMac::kBlockSize);

  void addMessage();
  void add(const void *term) {
    Block block;
    std::memcpy(block.data(), term, sizeof block);
    sum_[0] ^= block[0];
    sum_[1] ^= block[1];
  }
  void flush();

  const uint32_t keyGeneration_;
  KeyspaceDigestMac mac_;
  std::array<Block, kBlocks> blocks_;  // of rows, collected for one call of the cipher
  size_t blockCount_ = 0;
  Block sum_{};
  std::vector<uint8_t> message_;
};

}  // namespace todana
