// The keys of an open store. Any thread.
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

  // Throws SealingError(TDS_DAMAGED_KEYS) where one that every store has is missing.
  KeyRing(const StoreID &storeID, DataCipher cipher, const std::vector<DataKey> &keys);

  const StoreID &storeID() const { return storeID_; }
  DataCipher cipher() const { return cipher_; }

  // Epochs beyond the current one, or a generation, made ready so that adding them cannot fail.
  struct Addition;
  static std::shared_ptr<Addition> prepare(DataCipher cipher, const std::vector<DataKey> &keys);
  void add(Addition &keys) noexcept;

  // What new data are sealed under.
  uint32_t currentEpoch() const { return currentEpoch_.load(std::memory_order_acquire); }
  // Null where the store has no such key.
  std::shared_ptr<const SecretBytes> epochKey(uint32_t epoch) const;

  // All keys of a store are renewed together: a generation is known by the number of its first epoch, and has keys of
  // its own for names and digests. The newest:
  uint32_t keyGeneration() const { return keyGeneration_.load(std::memory_order_acquire); }
  bool has(uint32_t keyGeneration) const;

  // Random nonces. Whatever is sealed under the current epoch takes one of these, so they count its seals.
  void drawNonces(uint8_t *nonces, size_t count) const;
  uint64_t sealCount() const { return sealCount_.load(std::memory_order_relaxed); }
  // There were at least so many, in earlier sessions.
  void raiseSealCount(uint64_t count) const;

  // What stands for a name where its own bytes must not: HMAC-SHA256 under the name key, its first 16 bytes. Throws
  // SealingError(TDS_DAMAGED_KEYS) where the generation is not there, as the next one does.
  using NameKey = std::array<uint8_t, kNameKeySize>;
  NameKey nameKey(uint32_t keyGeneration, ByteView name) const;
  // A name in a form that is the same each time, under a key derived from the name key: AES-SIV. `openName` returns nothing
  // if the bytes are not of this store. Throw SealingError(TDS_DAMAGED_KEYS).
  std::vector<uint8_t> sealName(uint32_t keyGeneration, ByteView name) const;
  SecretBytes openName(uint32_t keyGeneration, ByteView sealed) const;
  // The key of a keyspace's digest.
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
  std::map<uint32_t, Generation> generations_;  // never taken away, nor changed once whole
  std::atomic<uint32_t> currentEpoch_{0};
  std::atomic<uint32_t> keyGeneration_{0};
  mutable std::atomic<uint64_t> sealCount_{0};
  mutable NoncePool nonces_;
};

struct KeyRing::Addition {
  std::map<uint32_t, std::shared_ptr<const SecretBytes>> epochs;
  std::map<uint32_t, Generation> generations;
};

// The keys of a generation.
std::vector<DataKey> newKeyGeneration(uint32_t number);

}  // namespace todana
