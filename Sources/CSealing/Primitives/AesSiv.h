// AES-SIV (RFC 5297): wraps keys. Deterministic, so that it needs no nonce; sealing the same key twice shows only that.
#pragma once

#include <vector>

#include "Derivation.h"

namespace todana {

constexpr size_t kSivSize = 16;

// The synthetic initialization vector, then the ciphertext. A key of 64 bytes is AES-256-SIV, one of 32 AES-128-SIV.
std::vector<uint8_t> sivSeal(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView plaintext);
// Empty where it was not sealed with this key and these associated data.
SecretBytes sivOpen(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView sealed);

}  // namespace todana
