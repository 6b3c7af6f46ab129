#include "Sha256.h"

#include <openssl/evp.h>

#include "CryptoError.h"

namespace todana {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr, "EVP_MD_CTX_new");
  begin();
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::begin() { require(EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1, "EVP_DigestInit_ex"); }

void Sha256::add(ByteView bytes) {
  require(EVP_DigestUpdate(context_, bytes.data, bytes.size) == 1, "EVP_DigestUpdate");
}

Hash Sha256::finish() {
  Hash hash;
  require(EVP_DigestFinal_ex(context_, hash.data(), nullptr) == 1, "EVP_DigestFinal_ex");
  begin();
  return hash;
}

}  // namespace todana
