// The keys of an open store. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "../Primitives/NoncePool.h"
#include "KeyFile.h"

namespace todana {

class KeyRing {
 public:
  static constexpr size_t kNameKeySize = 16;

  // Throws SealingError(TDS_DAMAGED_KEYS) if a key that every store needs is missing.
  KeyRing(const StoreID &storeID, DataCipher cipher, const std::vector<DataKey> &keys);

  const StoreID &storeID() const { return storeID_; }
  DataCipher cipher() const { return cipher_; }

  // Epochs after the current one, or a generation, prepared so that adding them cannot fail.
  struct Addition;
  static std::shared_ptr<Addition> prepare(DataCipher cipher, const std::vector<DataKey> &keys);
  void add(Addition &keys) noexcept;

  // Returns the epoch whose key seals new data.
  uint32_t currentEpoch() const { return currentEpoch_.load(std::memory_order_acquire); }
  // Returns null if the store has no such key.
  std::shared_ptr<const SecretBytes> epochKey(uint32_t epoch) const;

  // Returns the number of the newest key generation. All keys of a store are renewed together. A generation has the
  // number of its first epoch, and its own keys for names and digests.
  uint32_t keyGeneration() const { return keyGeneration_.load(std::memory_order_acquire); }
  bool has(uint32_t keyGeneration) const;

  // Draws random nonces. Everything that is sealed under the current epoch takes one nonce, so the drawn nonces are
  // counted as its seals.
  void drawNonces(uint8_t *nonces, size_t count) const;
  uint64_t sealCount() const { return sealCount_.load(std::memory_order_relaxed); }
  // Raises the count to `count` if it is lower. Earlier sessions made at least this number of seals.
  void raiseSealCount(uint64_t count) const;

  // Returns the code that replaces a name whose bytes must be hidden: the first 16 bytes of HMAC-SHA256 under the name
  // key. Throws SealingError(TDS_DAMAGED_KEYS) if the generation is missing.
  using NameKey = std::array<uint8_t, kNameKeySize>;
  NameKey nameKey(uint32_t keyGeneration, ByteView name) const;
  // Seal and open a name deterministically, with AES-SIV under a key derived from the name key. `openName` returns
  // nothing if the bytes are not of this store. Throw SealingError(TDS_DAMAGED_KEYS) if the generation is missing.
  std::vector<uint8_t> sealName(uint32_t keyGeneration, ByteView name) const;
  SecretBytes openName(uint32_t keyGeneration, ByteView sealed) const;
  // Returns the key of a keyspace's digest.
  SecretBytes digestKey(uint32_t keyGeneration, uint32_t keyspace) const;

 private:
  struct Generation {
    SecretBytes nameKey, digestKey;
    bool isWhole() const { return !nameKey.isEmpty() && !digestKey.isEmpty(); }
  };
  const Generation &whole(uint32_t keyGeneration) const;
  SecretBytes nameSealingKey(uint32_t keyGeneration) const;

  const StoreID storeID_;
  const DataCipher cipher_;
  mutable std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<const SecretBytes>> epochs_;
  std::map<uint32_t, Generation> generations_;  // never removed; unchanged once complete
  std::atomic<uint32_t> currentEpoch_{0};
  std::atomic<uint32_t> keyGeneration_{0};
  mutable std::atomic<uint64_t> sealCount_{0};
  mutable NoncePool nonces_;
};

struct KeyRing::Addition {
  std::map<uint32_t, std::shared_ptr<const SecretBytes>> epochs;
  std::map<uint32_t, Generation> generations;
};

// Creates the keys of a generation.
std::vector<DataKey> newKeyGeneration(uint32_t number);

}  // namespace todana
