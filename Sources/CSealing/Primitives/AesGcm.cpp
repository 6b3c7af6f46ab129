#include "AesGcm.h"

#include <algorithm>

#include <openssl/crypto.h>
#include <openssl/err.h>

#include "CryptoError.h"

namespace todana {

namespace {

// Lengths are `int` in libcrypto.
constexpr size_t kMostAtOnce = 1 << 30;

const EVP_CIPHER *cipher(size_t keySize) {
  // Fetched once: looking them up costs more than sealing a small record.
  static const EVP_CIPHER *const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr);
  static const EVP_CIPHER *const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  if (keySize != 16 && keySize != 32) throw SealingError(TDS_INVALID, "an AES-GCM key has 16 or 32 bytes");
  return keySize == 16 ? aes128 : aes256;
}

bool update(EVP_CIPHER_CTX *context, uint8_t *output, ByteView input) {
  for (size_t done = 0; done < input.size;) {
    const size_t count = std::min(input.size - done, kMostAtOnce);
    int length = 0;
    uint8_t *const target = output ? output + done : nullptr;
    if (EVP_CipherUpdate(context, target, &length, input.data + done, static_cast<int>(count)) != 1) return false;
    done += count;
  }
  return true;
}

}  // namespace

CipherContext AesGcm::make(const SecretBytes &key, bool encrypts) {
  CipherContext context(EVP_CIPHER_CTX_new());
  require(context != nullptr, "EVP_CIPHER_CTX_new");
  const EVP_CIPHER *const kind = cipher(key.size());
  require(kind != nullptr, "EVP_CIPHER_fetch");
  require(EVP_CipherInit_ex2(context.get(), kind, key.data(), nullptr, encrypts, nullptr) == 1, "EVP_CipherInit_ex2");
  return context;
}

AesGcm::AesGcm(const SecretBytes &key) : sealing_(make(key, true)), opening_(make(key, false)) {}

void AesGcm::seal(
  const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output, uint8_t *tag) {
  EVP_CIPHER_CTX *const context = sealing_.get();
  int length = 0;
  uint8_t rest[kTagSize];
  const bool isDone = EVP_CipherInit_ex2(context, nullptr, nullptr, nonce, -1, nullptr) == 1 &&
                      update(context, nullptr, associated) && update(context, output, plaintext) &&
                      EVP_CipherFinal_ex(context, rest, &length) == 1 &&
                      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1;
  require(isDone, "AES-GCM");
}

bool AesGcm::open(
  const uint8_t *nonce, ByteView associated, ByteView ciphertext, uint8_t *output, const uint8_t *tag) {
  EVP_CIPHER_CTX *const context = opening_.get();
  int length = 0;
  uint8_t rest[kTagSize];
  const bool isReady =
    EVP_CipherInit_ex2(context, nullptr, nullptr, nonce, -1, nullptr) == 1 &&
    update(context, nullptr, associated) && update(context, output, ciphertext) &&
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagSize, const_cast<uint8_t *>(tag)) == 1;
  if (!isReady) {
    if (ciphertext.size > 0) OPENSSL_cleanse(output, ciphertext.size);
    throwLibraryError("AES-GCM");
  }
  if (EVP_CipherFinal_ex(context, rest, &length) == 1) return true;
  ERR_clear_error();
  if (ciphertext.size > 0) OPENSSL_cleanse(output, ciphertext.size);
  return false;
}

}  // namespace todana
