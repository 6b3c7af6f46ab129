#include "AesGcm.h"

#include <algorithm>
#include <vector>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>

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

}  // namespace

CipherContext AesGcm::make(const SecretBytes &key, bool encrypts) {
  CipherContext context(EVP_CIPHER_CTX_new());
  require(context != nullptr, "EVP_CIPHER_CTX_new");
  const EVP_CIPHER *const kind = cipher(key.size());
  require(kind != nullptr, "EVP_CIPHER_fetch");
  require(EVP_CipherInit_ex2(context.get(), kind, key.data(), nullptr, encrypts, nullptr) == 1, "EVP_CipherInit_ex2");
  return context;
}

AesGcm::AesGcm(const SecretBytes &key) : AesGcm(key, opensQuickly(key.size())) {}

AesGcm::AesGcm(const SecretBytes &key, bool isQuick)
    : sealing_(make(key, true)), opening_(make(key, false)), isQuick_(isQuick) {
  // From now on the opening context takes nonces as parameters. This first nonce opens nothing.
  uint8_t nonce[kNonceSize] = {};
  if (isQuick_ && EVP_CIPHER_CTX_ctrl(opening_.get(), EVP_CTRL_GCM_SET_IV_FIXED, -1, nonce) != 1) {
    ERR_clear_error();
    isQuick_ = false;
    opening_ = make(key, false);
  }
}

// Tests whether the quick method gives the results of the ordinary one, once for each key size, with a key that is not
// secret.
bool AesGcm::opensQuickly(size_t keySize) {
  const auto isRight = [](size_t keySize) {
    try {
      const std::vector<uint8_t> zeros(keySize);
      AesGcm cipher(SecretBytes(zeros.data(), keySize), true);
      for (uint8_t number = 1; number <= 3; number++) {
        const uint8_t nonce[kNonceSize] = {number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, number};
        const uint8_t plain[20] = {number};
        uint8_t bytes[20], tag[kTagSize];
        cipher.seal(nonce, {nonce, 5}, {plain, 20}, bytes, tag);
        if (!cipher.isQuick_ || !cipher.open(nonce, {nonce, 5}, {bytes, 20}, bytes, tag)) return false;
        if (!std::equal(plain, plain + 20, bytes)) return false;
        // Data that are not authentic must be refused. The next data must then be opened again.
        tag[number] ^= 1;
        if (cipher.open(nonce, {nonce, 5}, {bytes, 20}, bytes, tag)) return false;
      }
      return true;
    } catch (const std::exception &) {
      return false;
    }
  };
  static const bool is128Right = isRight(16), is256Right = isRight(32);
  return keySize == 16 ? is128Right : is256Right;
}

// Setting a nonce by EVP_CipherInit_ex2 and a tag by EVP_CIPHER_CTX_ctrl takes as long as opening a small record. Each
// of them looks up parameters by name. The "invocation field" may be the entire nonce, so one call can set both.
bool AesGcm::prepare(const uint8_t *nonce, const uint8_t *tag) {
  uint8_t *const nonceBytes = const_cast<uint8_t *>(nonce), *const tagBytes = const_cast<uint8_t *>(tag);
  if (isQuick_) {
    const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tagBytes, kTagSize),
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, nonceBytes, kNonceSize),
      OSSL_PARAM_construct_end(),
    };
    return EVP_CIPHER_CTX_set_params(opening_.get(), parameters) == 1;
  }
  return EVP_CipherInit_ex2(opening_.get(), nullptr, nullptr, nonce, -1, nullptr) == 1 &&
         EVP_CIPHER_CTX_ctrl(opening_.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tagBytes) == 1;
}

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
    prepare(nonce, tag) && update(context, nullptr, associated) && update(context, output, ciphertext);
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
