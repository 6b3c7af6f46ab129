#include "AesGcm.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/err.h>

#include "CryptoError.h"

namespace todana {

namespace {

// Lengths are `int` in libcrypto.
constexpr size_t kMostAtOnce = 1 << 30;

const EVP_CIPHER *cipher(size_t keySize) {
  // Fetch the ciphers once: a lookup takes longer than sealing a small record.
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

void sealWith(
  EVP_CIPHER_CTX *context, const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output,
  uint8_t *tag) {
  int length = 0;
  uint8_t rest[kTagSize];
  const bool isDone = EVP_CipherInit_ex2(context, nullptr, nullptr, nonce, -1, nullptr) == 1 &&
                      update(context, nullptr, associated) && update(context, output, plaintext) &&
                      EVP_CipherFinal_ex(context, rest, &length) == 1 &&
                      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagSize, tag) == 1;
  require(isDone, "AES-GCM");
}

CipherContext make(const SecretBytes &key, bool encrypts) {
  CipherContext context(EVP_CIPHER_CTX_new());
  require(context != nullptr, "EVP_CIPHER_CTX_new");
  const EVP_CIPHER *const kind = cipher(key.size());
  require(kind != nullptr, "EVP_CIPHER_fetch");
  require(EVP_CipherInit_ex2(context.get(), kind, key.data(), nullptr, encrypts, nullptr) == 1, "EVP_CipherInit_ex2");
  return context;
}

}  // namespace

AesGcm::AesGcm(const SecretBytes &key) : sealing_(make(key, true)), opening_(make(key, false)) {
  if (isShortRight(key.size())) short_.emplace(key);
}

// Tests whether short messages are sealed as libcrypto seals them, once for each key size, with a key that is not
// secret.
bool AesGcm::isShortRight(size_t keySize) {
  const auto isRight = [](size_t keySize) {
    if (!ShortGcm::isSupported()) return false;
    std::vector<uint8_t> bytes(keySize);
    for (size_t index = 0; index < keySize; index++) bytes[index] = static_cast<uint8_t>(0xA7 * (index + 1));
    const SecretBytes key(bytes.data(), keySize);
    ShortGcm other(key);
    const CipherContext context = make(key, true);
    for (size_t byteCount : {size_t{0}, size_t{40}, size_t{333}, ShortGcm::kMostBytes}) {
      const std::vector<uint8_t> plain(byteCount + 1, 0x5C);
      std::vector<uint8_t> first(byteCount + 1), second(byteCount + 1);
      uint8_t tag[kTagSize], otherTag[kTagSize];
      sealWith(context.get(), bytes.data(), {bytes.data(), 15}, {plain.data(), byteCount}, first.data(), tag);
      other.seal(bytes.data(), {bytes.data(), 15}, {plain.data(), byteCount}, second.data(), otherTag);
      if (first != second || std::memcmp(tag, otherTag, kTagSize) != 0) return false;
    }
    return true;
  };
  static const bool is128Right = isRight(16), is256Right = isRight(32);
  return keySize == 16 ? is128Right : is256Right;
}

void AesGcm::seal(
  const uint8_t *nonce, ByteView associated, ByteView plaintext, uint8_t *output, uint8_t *tag) {
  if (short_ && plaintext.size <= ShortGcm::kMostBytes) {
    return short_->seal(nonce, associated, plaintext, output, tag);
  }
  sealWith(sealing_.get(), nonce, associated, plaintext, output, tag);
}

bool AesGcm::open(
  const uint8_t *nonce, ByteView associated, ByteView ciphertext, uint8_t *output, const uint8_t *tag) {
  if (short_ && ciphertext.size <= ShortGcm::kMostBytes) {
    return short_->open(nonce, associated, ciphertext, output, tag);
  }
  EVP_CIPHER_CTX *const context = opening_.get();
  int length = 0;
  uint8_t rest[kTagSize];
  const bool isReady = EVP_CipherInit_ex2(context, nullptr, nullptr, nonce, -1, nullptr) == 1 &&
                       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagSize, const_cast<uint8_t *>(tag)) == 1 &&
                       update(context, nullptr, associated) && update(context, output, ciphertext);
  const bool isAuthentic = isReady && EVP_CipherFinal_ex(context, rest, &length) == 1;
  if (!isAuthentic && ciphertext.size > 0) OPENSSL_cleanse(output, ciphertext.size);
  if (!isReady) throwLibraryError("AES-GCM");
  if (!isAuthentic) ERR_clear_error();
  return isAuthentic;
}

}  // namespace todana
