// The function whose values are summed up over the records of a keyspace (docs/formats/states.md).
//
// In an encrypted store a MAC, under a key for each purpose: an attacker without the keys cannot find records that add
// up to a sum. In a plain store a hash without a key: it finds accidental loss, and libcrypto need not be loaded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/BlockMac.h"
#include "../Disk/Checksum.h"

namespace todana {

// The function under one key and for one purpose. KeyspaceDigest owns one, DigestFile one for each of its sums. One
// thread at a time.
class KeyspaceDigestMac {
 public:
  static constexpr size_t kBlockSize = BlockMac::kBlockSize;
  using Value = std::array<uint8_t, kBlockSize>;

  // `keyGeneration`: of the key; 0 of what is plain. `number`: the keyspace's, or another purpose's.
  KeyspaceDigestMac(const KeyRing *ring, uint32_t keyGeneration, uint32_t number) : seed_(number) {
    if (keyGeneration != 0 && ring) mac_.emplace(ring->digestKey(keyGeneration, number));
  }

  // Returns false without a key; then `hash` gives the values, and costs no call.
  bool isKeyed() const { return mac_.has_value(); }
  WideSum hash(const void *message, size_t byteCount) const { return WideSum::of(message, byteCount, seed_); }

  // Returns the value of a message of whole blocks. All messages under one number have one length, or begin with
  // theirs.
  Value value(const uint8_t *message, size_t byteCount);
  // Each block is a message of its own, and is replaced by its value.
  void replaceEach(uint8_t *blocks, size_t count);

 private:
  const uint64_t seed_;
  std::optional<BlockMac> mac_;
};

}  // namespace todana
