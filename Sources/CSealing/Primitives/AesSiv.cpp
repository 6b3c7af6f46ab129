#include "AesSiv.h"

#include <openssl/err.h>

#include "AesGcm.h"
#include "CryptoError.h"

namespace todana {

namespace {

// Creates a context for one call, as libcrypto's context cannot be started again.
CipherContext begin(const SecretBytes &key, const std::vector<ByteView> &associated, const uint8_t *siv) {
  const char *const name = key.size() == 64 ? "AES-256-SIV" : "AES-128-SIV";
  std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> cipher(
    EVP_CIPHER_fetch(nullptr, name, nullptr), EVP_CIPHER_free);
  CipherContext context(EVP_CIPHER_CTX_new());
  require(cipher && context, "EVP_CIPHER_fetch");
  if (EVP_CIPHER_get_key_length(cipher.get()) != static_cast<int>(key.size())) {
    throw SealingError(TDS_INVALID, "an AES-SIV key has 32 or 64 bytes");
  }
  bool isDone = EVP_CipherInit_ex2(context.get(), cipher.get(), key.data(), nullptr, siv == nullptr, nullptr) == 1;
  if (isDone && siv) {
    isDone = EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kSivSize, const_cast<uint8_t *>(siv)) == 1;
  }
  for (const ByteView &part : associated) {
    int length = 0;
    isDone = isDone &&
             EVP_CipherUpdate(context.get(), nullptr, &length, part.data, static_cast<int>(part.size)) == 1;
  }
  require(isDone, name);
  return context;
}

}  // namespace

std::vector<uint8_t> sivSeal(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView plaintext) {
  CipherContext context = begin(key, associated, nullptr);
  std::vector<uint8_t> sealed(kSivSize + plaintext.size);
  int length = 0;
  const bool isDone = EVP_CipherUpdate(
                        context.get(), sealed.data() + kSivSize, &length, plaintext.data,
                        static_cast<int>(plaintext.size)) == 1 &&
                      EVP_CipherFinal_ex(context.get(), sealed.data() + kSivSize, &length) == 1 &&
                      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kSivSize, sealed.data()) == 1;
  require(isDone, "AES-SIV");
  return sealed;
}

SecretBytes sivOpen(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView sealed) {
  if (sealed.size <= kSivSize) return {};
  CipherContext context = begin(key, associated, sealed.data);
  SecretBytes plaintext(sealed.size - kSivSize);
  int length = 0;
  const bool isAuthentic = EVP_CipherUpdate(
                             context.get(), plaintext.data(), &length, sealed.data + kSivSize,
                             static_cast<int>(plaintext.size())) == 1 &&
                           EVP_CipherFinal_ex(context.get(), plaintext.data(), &length) == 1;
  if (!isAuthentic) {
    // Distinguish data that are not authentic from a lack of memory.
    if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE) throwLibraryError("AES-SIV");
    ERR_clear_error();
    return {};
  }
  return plaintext;
}

}  // namespace todana
