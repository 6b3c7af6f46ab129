// AES of single blocks, each encrypted by itself (ECB): a part of other constructions, never used for data directly.
// One call encrypts many blocks.
#pragma once

#include "CipherContext.h"
#include "SecretBytes.h"

namespace todana {

class AesBlocks {
 public:
  static constexpr size_t kBlockSize = 16;

  // The key has 16 or 32 bytes.
  explicit AesBlocks(const SecretBytes &key);

  // Encrypts blocks in place.
  void encrypt(uint8_t *blocks, size_t count);

 private:
  CipherContext context_;
};

}  // namespace todana
