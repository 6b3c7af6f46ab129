#include "BlockMac.h"

#include <algorithm>
#include <cstring>

#include "CryptoError.h"

namespace todana {

namespace {

constexpr size_t kMostBlocks = 1 << 20;

}  // namespace

BlockMac::BlockMac(const SecretBytes &key) : context_(EVP_CIPHER_CTX_new()) {
  static const EVP_CIPHER *const cipher = EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
  if (key.size() != 16) throw SealingError(TDS_INVALID, "a MAC's key has 16 bytes");
  require(context_ && cipher, "EVP_CIPHER_fetch");
  require(EVP_EncryptInit_ex2(context_.get(), cipher, key.data(), nullptr, nullptr) == 1, "AES-128-ECB");
  require(EVP_CIPHER_CTX_set_padding(context_.get(), 0) == 1, "AES-128-ECB");
}

void BlockMac::macEach(uint8_t *blocks, size_t count) {
  while (count > 0) {
    const size_t part = std::min(count, kMostBlocks);
    int length = 0;
    const int byteCount = static_cast<int>(part * kBlockSize);
    require(EVP_EncryptUpdate(context_.get(), blocks, &length, blocks, byteCount) == 1, "AES-128-ECB");
    blocks += part * kBlockSize;
    count -= part;
  }
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
