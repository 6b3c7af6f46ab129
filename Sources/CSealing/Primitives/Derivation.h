// Derives keys from secrets, and names from keys: HMAC-SHA256 (RFC 2104), HKDF-SHA256 (RFC 5869), scrypt (RFC 7914).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "SecretBytes.h"

namespace todana {

constexpr size_t kHashSize = 32;
using Hash = std::array<uint8_t, kHashSize>;

struct ByteView {
  const uint8_t *data;
  size_t size;
  ByteView(const void *data, size_t size) : data(static_cast<const uint8_t *>(data)), size(size) {}
  ByteView(std::string_view text) : ByteView(text.data(), text.size()) {}
  ByteView(const SecretBytes &bytes) : ByteView(bytes.data(), bytes.size()) {}
};

Hash sha256(ByteView bytes);
Hash hmacSHA256(ByteView key, ByteView message);
SecretBytes hkdfSHA256(ByteView secret, ByteView salt, ByteView info, size_t count);

// The cost of trying a passphrase: 128 · r · 2^log2N bytes of memory, and time proportional to r · p · 2^log2N.
struct ScryptCost {
  uint8_t log2N = 16;
  uint32_t r = 8;
  uint32_t p = 1;

  static constexpr uint64_t kMostMemory = 1 << 30;
  static constexpr uint64_t kMostWork = 1 << 27;
  // Returns r · p · N; UINT64_MAX if memory or work exceed the limits, or if a parameter is invalid.
  uint64_t work() const;
};

// Derives a key. If the cost is over the limits, throws SealingError(TDS_LIMIT) before any work.
SecretBytes scrypt(ByteView passphrase, ByteView salt, const ScryptCost &cost, size_t count);

}  // namespace todana
