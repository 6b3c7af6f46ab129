// A context of libcrypto's ciphers.
#pragma once

#include <memory>

#include <openssl/evp.h>

namespace todana {

struct CipherContextDeleter {
  void operator()(EVP_CIPHER_CTX *context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, CipherContextDeleter>;

}  // namespace todana
