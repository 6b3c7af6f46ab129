#include "Derivation.h"

#include <memory>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "CryptoError.h"

namespace todana {

namespace {

// libcrypto takes parameters by pointers to non-const data, but does not change the data.
OSSL_PARAM octets(const char *name, ByteView bytes) {
  static uint8_t none = 0;
  void *data = bytes.data ? const_cast<uint8_t *>(bytes.data) : &none;
  return OSSL_PARAM_construct_octet_string(name, data, bytes.size);
}

void derive(const char *algorithm, const OSSL_PARAM *parameters, SecretBytes &key) {
  std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(EVP_KDF_fetch(nullptr, algorithm, nullptr), EVP_KDF_free);
  require(kdf != nullptr, "EVP_KDF_fetch");
  std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(kdf.get()), EVP_KDF_CTX_free);
  require(context != nullptr, "EVP_KDF_CTX_new");
  require(EVP_KDF_derive(context.get(), key.data(), key.size(), parameters) == 1, algorithm);
}

}  // namespace

Hash sha256(ByteView bytes) {
  Hash hash;
  require(EVP_Digest(bytes.data, bytes.size, hash.data(), nullptr, EVP_sha256(), nullptr) == 1, "EVP_Digest");
  return hash;
}

Hash hmacSHA256(ByteView key, ByteView message) {
  Hash hash;
  static const uint8_t none = 0;
  const bool isDone = HMAC(
    EVP_sha256(), key.data ? key.data : &none, static_cast<int>(key.size), message.data, message.size, hash.data(),
    nullptr);
  require(isDone, "HMAC");
  return hash;
}

SecretBytes hkdfSHA256(ByteView secret, ByteView salt, ByteView info, size_t count) {
  SecretBytes key(count);
  char hash[] = "SHA256";
  const OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, hash, 0),
    octets(OSSL_KDF_PARAM_KEY, secret),
    octets(OSSL_KDF_PARAM_SALT, salt),
    octets(OSSL_KDF_PARAM_INFO, info),
    OSSL_PARAM_construct_end(),
  };
  derive("HKDF", parameters, key);
  return key;
}

uint64_t ScryptCost::work() const {
  constexpr uint64_t kNone = UINT64_MAX;
  if (log2N < 1 || log2N > 30 || r == 0 || p == 0 || r > kMostWork || p > kMostWork) return kNone;
  const uint64_t n = uint64_t{1} << log2N;
  // No product overflows: each factor is at most 2^30, and each product is checked before the next one.
  if (n * r > kMostMemory / 128 || uint64_t{r} * p > kMostMemory / 128) return kNone;
  return n * r > kMostWork / p ? kNone : n * r * p;
}

SecretBytes scrypt(ByteView passphrase, ByteView salt, const ScryptCost &cost, size_t count) {
  if (cost.work() == UINT64_MAX) {
    throw SealingError(TDS_LIMIT, "deriving the key would take too much memory or time");
  }
  SecretBytes key(count);
  uint64_t n = uint64_t{1} << cost.log2N;
  uint32_t r = cost.r, p = cost.p;
  // By default, libcrypto refuses more than 32 MiB.
  uint64_t memory = 128 * uint64_t{r} * (n + p + 2) + (1 << 20);
  const OSSL_PARAM parameters[] = {
    octets(OSSL_KDF_PARAM_PASSWORD, passphrase),
    octets(OSSL_KDF_PARAM_SALT, salt),
    OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
    OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
    OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
    OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
    OSSL_PARAM_construct_end(),
  };
  derive("SCRYPT", parameters, key);
  return key;
}

}  // namespace todana
