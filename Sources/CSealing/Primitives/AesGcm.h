// AES-GCM (NIST SP 800-38D) under one key, which is scheduled once. Used by one thread at a time.
#pragma once

#include <optional>

#include "Derivation.h"
#include "ShortGcm.h"

namespace todana {

constexpr size_t kNonceSize = ShortGcm::kNonceSize;
constexpr size_t kTagSize = ShortGcm::kTagSize;

class AesGcm {
 public:
  // The key has 16 or 32 bytes.
  explicit AesGcm(const SecretBytes &key);

  // Seals; `output` may be the memory of the plaintext.
  void seal(const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output, uint8_t *tag);
  // Opens; returns false and fills the output with zeros if the tag is wrong. `output` may be the memory of the
  // ciphertext.
  bool open(const uint8_t *nonce, ByteView associated, ByteView ciphertext, uint8_t *output, const uint8_t *tag);

 private:
  static bool isShortRight(size_t keySize);

  CipherContext sealing_;
  CipherContext opening_;
  std::optional<ShortGcm> short_;
};

}  // namespace todana
