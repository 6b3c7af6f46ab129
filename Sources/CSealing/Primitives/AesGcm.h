// AES-GCM (NIST SP 800-38D) under one key, which is scheduled once. Used by one thread at a time.
#pragma once

#include <memory>

#include <openssl/evp.h>

#include "Derivation.h"

namespace todana {

struct CipherContextDeleter {
  void operator()(EVP_CIPHER_CTX *context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, CipherContextDeleter>;

constexpr size_t kNonceSize = 12;
constexpr size_t kTagSize = 16;

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
  AesGcm(const SecretBytes &key, bool isQuick);
  CipherContext make(const SecretBytes &key, bool encrypts);
  bool prepare(const uint8_t *nonce, const uint8_t *tag);
  static bool opensQuickly(size_t keySize);

  CipherContext sealing_;
  CipherContext opening_;
  // Whether the opening context takes nonces as parameters.
  bool isQuick_;
};

}  // namespace todana
