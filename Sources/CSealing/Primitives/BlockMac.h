// AES-128-CBC-MAC, for messages of one fixed length for each key, or that begin with their length: only then is it a
// MAC. Many messages of one block are done in one call.
#pragma once

#include "AesGcm.h"

namespace todana {

class BlockMac {
 public:
  static constexpr size_t kBlockSize = 16;

  explicit BlockMac(const SecretBytes &key);

  // A message of a multiple of 16 bytes.
  void mac(ByteView message, uint8_t *mac);
  // Each block is a message of its own, and is replaced by its MAC.
  void macEach(uint8_t *blocks, size_t count);

 private:
  CipherContext context_;
};

}  // namespace todana
