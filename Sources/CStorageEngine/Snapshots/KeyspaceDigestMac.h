// The function whose values are summed up over what a keyspace contains (docs/formats/states.md).
//
// In an encrypted store a MAC, under a key for each purpose: nobody without the keys can tell what would add up to a sum.
// In a plain store a hash that anybody can compute: it finds what was lost by accident, and spares loading libcrypto.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/BlockMac.h"
#include "../Disk/Checksum.h"

namespace todana {

class KeyspaceDigestMac {
 public:
  static constexpr size_t kBlockSize = BlockMac::kBlockSize;
  using Value = std::array<uint8_t, kBlockSize>;

  // `keyGeneration`: of the key; 0 of what is plain. `number`: the keyspace's, or another purpose's.
  KeyspaceDigestMac(const KeyRing *ring, uint32_t keyGeneration, uint32_t number) : seed_(number) {
    if (keyGeneration != 0 && ring) mac_.emplace(ring->digestKey(keyGeneration, number));
  }

  // False of what is plain; then `hash` gives the values, and costs no call.
  bool isKeyed() const { return mac_.has_value(); }
  WideSum hash(const void *message, size_t byteCount) const { return WideSum::of(message, byteCount, seed_); }

  // Of a message of whole blocks. All messages under one number have one length, or begin with theirs.
  Value value(const uint8_t *message, size_t byteCount);
  // Each block is a message of its own, and is replaced by its value.
  void replaceEach(uint8_t *blocks, size_t count);

 private:
  const uint64_t seed_;
  std::optional<BlockMac> mac_;
};

}  // namespace todana
