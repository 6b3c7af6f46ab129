#include "AesBlocks.h"

#include <algorithm>

#include "CryptoError.h"

namespace todana {

namespace {

// Lengths are `int` in libcrypto.
constexpr size_t kMostBlocks = 1 << 20;

}  // namespace

AesBlocks::AesBlocks(const SecretBytes &key) : context_(EVP_CIPHER_CTX_new()) {
  static const EVP_CIPHER *const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
  static const EVP_CIPHER *const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-ECB", nullptr);
  if (key.size() != 16 && key.size() != 32) throw SealingError(TDS_INVALID, "an AES key has 16 or 32 bytes");
  const EVP_CIPHER *const cipher = key.size() == 16 ? aes128 : aes256;
  require(context_ && cipher, "EVP_CIPHER_fetch");
  require(EVP_EncryptInit_ex2(context_.get(), cipher, key.data(), nullptr, nullptr) == 1, "EVP_EncryptInit_ex2");
  require(EVP_CIPHER_CTX_set_padding(context_.get(), 0) == 1, "EVP_CIPHER_CTX_set_padding");
}

void AesBlocks::encrypt(uint8_t *blocks, size_t count) {
  while (count > 0) {
    const size_t part = std::min(count, kMostBlocks);
    int length = 0;
    const int byteCount = static_cast<int>(part * kBlockSize);
    require(EVP_EncryptUpdate(context_.get(), blocks, &length, blocks, byteCount) == 1, "EVP_EncryptUpdate");
    blocks += part * kBlockSize;
    count -= part;
  }
}

}  // namespace todana
