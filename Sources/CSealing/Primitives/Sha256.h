// SHA-256 (FIPS 180-4) of bytes that are added in pieces. Used by one thread at a time.
#pragma once

#include <memory>

#include "Derivation.h"

struct evp_md_ctx_st;

namespace todana {

class Sha256 {
 public:
  // Throws SealingError if libcrypto fails, as `add` and `finish` do.
  Sha256();
  Sha256(const Sha256 &) = delete;
  Sha256 &operator=(const Sha256 &) = delete;
  ~Sha256();

  void add(ByteView bytes);
  // Returns the hash of all bytes that were added; the next bytes begin another hash.
  Hash finish();

 private:
  void begin();

  evp_md_ctx_st *const context_;
};

}  // namespace todana
