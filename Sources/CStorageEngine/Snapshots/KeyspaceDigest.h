// How a keyspace's contents are known again as a whole: how many records there are, and the XOR of a term for each. A
// record that was taken away, put back or added behind the store's back is found when all of them are read.
//
// docs/formats/states.md. In an encrypted store the terms are MACs, and the sum stands sealed.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "KeyspaceDigestMac.h"

namespace todana {

struct DigestEntry {
  static constexpr size_t kDigestSize = KeyspaceDigestMac::kBlockSize;

  uint64_t count = 0;
  KeyspaceDigestMac::Value digest{};
  // Of the keys that the records are sealed, and the digest and the names made with, at least; 0: all of it is plain.
  uint32_t keyGeneration = 0;

  bool operator==(const DigestEntry &other) const {
    return count == other.count && digest == other.digest && keyGeneration == other.keyGeneration;
  }
  bool operator!=(const DigestEntry &other) const { return !(*this == other); }
};

// Adds records to a sum, and takes them out: the same thing. Used by one thread at a time.
class KeyspaceDigest {
 public:
  using Sum = KeyspaceDigestMac::Value;

  KeyspaceDigest(const KeyRing *ring, uint32_t keyGeneration, uint32_t keyspace)
      : keyGeneration_(keyGeneration), mac_(ring, keyGeneration, keyspace) {}

  // Of the keys; 0: there are none.
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
  // Of a tree, whose values have no tokens.
  void toggleEntry(std::string_view key, std::string_view value);

  // What was toggled since the last time.
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
  std::array<Block, kBlocks> blocks_;  // of rows, for one call of the cipher
  size_t blockCount_ = 0;
  Block sum_{};
  std::vector<uint8_t> message_;
};

}  // namespace todana
