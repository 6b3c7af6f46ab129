// AES-128-CBC-MAC. It is a MAC only for messages of one fixed length for each key, or for messages that begin with
// their length. One call computes the MACs of many messages of one block.
#pragma once

#include "AesBlocks.h"
#include "Derivation.h"

namespace todana {

class BlockMac {
 public:
  static constexpr size_t kBlockSize = AesBlocks::kBlockSize;

  // The key has 16 bytes.
  explicit BlockMac(const SecretBytes &key);

  // Computes the MAC of a message of a multiple of 16 bytes.
  void mac(ByteView message, uint8_t *mac);
  // Treats each block as a message of its own, and replaces it by its MAC.
  void macEach(uint8_t *blocks, size_t count) { cipher_.encrypt(blocks, count); }

 private:
  AesBlocks cipher_;
};

}  // namespace todana
