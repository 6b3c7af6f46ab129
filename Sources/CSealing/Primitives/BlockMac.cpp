#include "BlockMac.h"

#include <cstring>

#include "CryptoError.h"

namespace todana {

BlockMac::BlockMac(const SecretBytes &key) : cipher_(key) {
  if (key.size() != 16) throw SealingError(TDS_INVALID, "a MAC's key has 16 bytes");
}

void BlockMac::mac(ByteView message, uint8_t *mac) {
  if (message.size == 0 || message.size % kBlockSize != 0) {
    throw SealingError(TDS_INVALID, "a MAC is taken of whole blocks");
  }
  std::memset(mac, 0, kBlockSize);
  for (size_t offset = 0; offset < message.size; offset += kBlockSize) {
    for (size_t index = 0; index < kBlockSize; index++) mac[index] ^= message.data[offset + index];
    macEach(mac, 1);
  }
}

}  // namespace todana
