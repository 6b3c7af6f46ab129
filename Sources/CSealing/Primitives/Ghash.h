// GHASH, the keyed hash within AES-GCM (NIST SP 800-38D, 6.4), by the processor's carry-less multiplication, whose time
// does not depend on the bytes.
#pragma once

#include "Derivation.h"

namespace todana {

class Ghash {
 public:
  static constexpr size_t kSize = 16;

  // Tests whether this processor can compute it. Otherwise no other function may be called.
  static bool isSupported();

  // Creates the hash for a key of 16 bytes: the encrypted zero block.
  explicit Ghash(const uint8_t *key);
  ~Ghash();
  Ghash(const Ghash &) = delete;
  Ghash &operator=(const Ghash &) = delete;

  // Computes the hash of associated data, ciphertext and their lengths, as GCM does.
  void hash(ByteView associated, ByteView ciphertext, uint8_t *hash) const;

 private:
  // The powers of the key, from the first.
  static constexpr size_t kPowerCount = 8;
  alignas(16) uint8_t powers_[kPowerCount * kSize];
};

}  // namespace todana
