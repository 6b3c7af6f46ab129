#include "SecretBytes.h"

#include <cstring>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "CryptoError.h"

namespace todana {

namespace {

// Room for the keys of hundreds of open stores, within the limit of locked memory for ordinary users.
constexpr size_t kHeapSize = 64 << 10;
constexpr size_t kSmallestBlock = 32;

}  // namespace

SecretMemory secretMemory() {
  static const SecretMemory kind = [] {
    // The program may have initialized the secure heap already.
    if (CRYPTO_secure_malloc_initialized()) return SecretMemory::locked;
    switch (CRYPTO_secure_malloc_init(kHeapSize, kSmallestBlock)) {
      case 1: return SecretMemory::locked;
      case 2: return SecretMemory::unlocked;
      default: return SecretMemory::ordinary;
    }
  }();
  return kind;
}

SecretBytes::SecretBytes(size_t count) {
  if (count == 0) return;
  secretMemory();
  bytes_ = static_cast<uint8_t *>(OPENSSL_secure_zalloc(count));
  // The bytes may be too large for the secure heap, such as a passphrase of 1 MiB.
  if (!bytes_) bytes_ = static_cast<uint8_t *>(OPENSSL_zalloc(count));
  if (!bytes_) throw SealingError(TDS_NO_MEMORY, "there is no memory for a key");
  count_ = count;
}

SecretBytes::SecretBytes(const void *bytes, size_t count) : SecretBytes(count) {
  if (count > 0) std::memcpy(bytes_, bytes, count);
}

SecretBytes SecretBytes::random(size_t count) {
  SecretBytes bytes(count);
  require(RAND_priv_bytes(bytes.data(), static_cast<int>(count)) == 1, "RAND_priv_bytes");
  return bytes;
}

bool SecretBytes::equals(const void *bytes, size_t count) const {
  return count == count_ && CRYPTO_memcmp(bytes_, bytes, count) == 0;
}

void SecretBytes::clear() {
  // This frees either kind of memory: bytes outside of the secure heap are wiped and freed as usual.
  if (bytes_) OPENSSL_secure_clear_free(bytes_, count_);
  bytes_ = nullptr;
  count_ = 0;
}

}  // namespace todana
