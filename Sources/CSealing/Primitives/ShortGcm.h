// AES-GCM for short messages, such as most records. libcrypto's own takes four calls and several lookups for each
// message, which is most of the time for a record of 40 bytes. Here one call encrypts all counter blocks of a message,
// and the tag is computed by `Ghash`. Used by one thread at a time.
#pragma once

#include "AesBlocks.h"
#include "Ghash.h"

namespace todana {

class ShortGcm {
 public:
  static constexpr size_t kMostBytes = 1024;
  static constexpr size_t kNonceSize = 12;
  static constexpr size_t kTagSize = Ghash::kSize;

  static bool isSupported() { return Ghash::isSupported(); }

  // The key has 16 or 32 bytes.
  explicit ShortGcm(const SecretBytes &key);
  ~ShortGcm();

  // As the functions of `AesGcm`, for at most `kMostBytes`.
  void seal(const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output, uint8_t *tag);
  bool open(const uint8_t *nonce, ByteView associated, ByteView ciphertext, uint8_t *output, const uint8_t *tag);

 private:
  static constexpr size_t kBlockSize = AesBlocks::kBlockSize;

  // Fills the key stream: a block for the tag, then those for the message.
  void fillStream(const uint8_t *nonce, size_t byteCount);
  void addStream(ByteView input, uint8_t *output) const;
  void computeTag(ByteView associated, ByteView ciphertext, uint8_t *tag) const;

  AesBlocks cipher_;
  const Ghash hash_;
  alignas(16) uint8_t stream_[kBlockSize + kMostBytes];
};

}  // namespace todana
