#include "ShortGcm.h"

#include <cstring>

#include <openssl/crypto.h>

namespace todana {

namespace {

// Returns the encrypted zero block, which is the key of GHASH.
SecretBytes hashKey(AesBlocks &cipher) {
  SecretBytes key(Ghash::kSize);
  cipher.encrypt(key.data(), 1);
  return key;
}

void addBytes(const uint8_t *a, const uint8_t *b, uint8_t *sum, size_t count) {
  size_t offset = 0;
  for (; offset + sizeof(uint64_t) <= count; offset += sizeof(uint64_t)) {
    uint64_t first, second;
    std::memcpy(&first, a + offset, sizeof first);
    std::memcpy(&second, b + offset, sizeof second);
    first ^= second;
    std::memcpy(sum + offset, &first, sizeof first);
  }
  for (; offset < count; offset++) sum[offset] = a[offset] ^ b[offset];
}

}  // namespace

ShortGcm::ShortGcm(const SecretBytes &key) : cipher_(key), hash_(hashKey(cipher_).data()) {}

ShortGcm::~ShortGcm() { OPENSSL_cleanse(stream_, sizeof stream_); }

void ShortGcm::fillStream(const uint8_t *nonce, size_t byteCount) {
  // Each block is the nonce and a counter of 32 bits, the most significant byte first (SP 800-38D, 7.1).
  const size_t count = 1 + (byteCount + kBlockSize - 1) / kBlockSize;
  uint8_t *block = stream_;
  for (uint32_t counter = 1; counter <= count; counter++, block += kBlockSize) {
    const uint32_t number = __builtin_bswap32(counter);
    std::memcpy(block, nonce, kNonceSize);
    std::memcpy(block + kNonceSize, &number, sizeof number);
  }
  cipher_.encrypt(stream_, count);
}

void ShortGcm::addStream(ByteView input, uint8_t *output) const {
  addBytes(input.data, stream_ + kBlockSize, output, input.size);
}

void ShortGcm::computeTag(ByteView associated, ByteView ciphertext, uint8_t *tag) const {
  uint8_t hash[Ghash::kSize];
  hash_.hash(associated, ciphertext, hash);
  addBytes(hash, stream_, tag, sizeof hash);
}

void ShortGcm::seal(
  const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output, uint8_t *tag) {
  fillStream(nonce, plaintext.size);
  addStream(plaintext, output);
  computeTag(associated, {output, plaintext.size}, tag);
}

bool ShortGcm::open(
  const uint8_t *nonce, ByteView associated, ByteView ciphertext, uint8_t *output, const uint8_t *tag) {
  fillStream(nonce, ciphertext.size);
  uint8_t right[kTagSize];
  computeTag(associated, ciphertext, right);
  if (CRYPTO_memcmp(right, tag, kTagSize) != 0) {
    if (ciphertext.size > 0) std::memset(output, 0, ciphertext.size);
    return false;
  }
  addStream(ciphertext, output);
  return true;
}

}  // namespace todana
