// AES-SIV (RFC 5297), which wraps keys. It is deterministic, so it needs no nonce; sealing a key twice reveals only
// that the two keys are equal.
#pragma once

#include <vector>

#include "Derivation.h"

namespace todana {

constexpr size_t kSivSize = 16;

// Returns the synthetic initialization vector and the ciphertext. A key of 64 bytes selects AES-256-SIV, one of 32
// bytes AES-128-SIV.
std::vector<uint8_t> sivSeal(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView plaintext);
// Returns the plaintext; empty if the bytes were not sealed with this key and these associated data.
SecretBytes sivOpen(const SecretBytes &key, const std::vector<ByteView> &associated, ByteView sealed);

}  // namespace todana
