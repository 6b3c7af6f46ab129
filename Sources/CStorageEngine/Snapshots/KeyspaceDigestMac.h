// The function that computes a digest's term for each record of a keyspace (docs/formats/states.md).
//
// In an encrypted store it is a MAC with a key for each purpose. An attacker without the keys cannot find other records
// with the same digest. In a plain store it is a hash without a key. It detects accidental loss, and does not need
// libcrypto.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/BlockMac.h"
#include "../Disk/Checksum.h"

namespace todana {

// The function for one key and one purpose. KeyspaceDigest owns one; DigestFile owns one for each of its sums. One
// thread at a time.
class KeyspaceDigestMac {
 public:
  static constexpr size_t kBlockSize = BlockMac::kBlockSize;
  using Value = std::array<uint8_t, kBlockSize>;

  // `keyGeneration`: the generation of the key; 0 for plain contents. `number`: the id of a keyspace, or the number of
  // another purpose.
  KeyspaceDigestMac(const KeyRing *ring, uint32_t keyGeneration, uint32_t number) : seed_(number) {
    if (keyGeneration != 0 && ring) mac_.emplace(ring->digestKey(keyGeneration, number));
  }

  // Tests whether there is a key. If not, `hash` computes the values, which is faster.
  bool isKeyed() const { return mac_.has_value(); }
  WideSum hash(const void *message, size_t byteCount) const { return WideSum::of(message, byteCount, seed_); }

  // Returns the value of a message of whole blocks. All messages of one number must have the same length, or begin with
  // their length.
  Value value(const uint8_t *message, size_t byteCount);
  // Replaces each block, which is a message of its own, by its value.
  void replaceEach(uint8_t *blocks, size_t count);

 private:
  const uint64_t seed_;
  std::optional<BlockMac> mac_;
};

}  // namespace todana
