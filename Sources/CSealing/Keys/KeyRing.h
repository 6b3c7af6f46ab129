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
  KeyRing(const StoreID &storeID, DataCipher cipher, SecretBytes master, const std::vector<DataKey> &keys);

  const StoreID &storeID() const { return storeID_; }
  DataCipher cipher() const { return cipher_; }
  const SecretBytes &master() const { return master_; }

  // What new data are sealed under.
  uint32_t currentEpoch() const { return currentEpoch_.load(std::memory_order_acquire); }
  // Null where the store has no such key.
  std::shared_ptr<const SecretBytes> epochKey(uint32_t epoch) const;
  void addEpoch(uint32_t epoch, const SecretBytes &key);

  // Random nonces. Whatever is sealed under the current epoch takes one of these, so they count its seals.
  void drawNonces(uint8_t *nonces, size_t count) const;
  uint64_t sealCount() const { return sealCount_.load(std::memory_order_relaxed); }
  // There were at least so many, in earlier sessions.
  void raiseSealCount(uint64_t count) const;

  // What stands for a name where its own bytes must not: HMAC-SHA256 under the name key, its first 16 bytes.
  std::array<uint8_t, kNameKeySize> nameKey(ByteView name) const;
  // The key of a structure's digest.
  SecretBytes digestKey(uint32_t structure) const;
  const SecretBytes &headerKey() const { return headerKey_; }

 private:
  const StoreID storeID_;
  const DataCipher cipher_;
  const SecretBytes master_;
  SecretBytes headerKey_, nameKey_, digestKey_;
  mutable std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<const SecretBytes>> epochs_;
  std::atomic<uint32_t> currentEpoch_{0};
  mutable std::atomic<uint64_t> sealCount_{0};
  mutable NoncePool nonces_;
};

// The keys of a new store: one master key, one epoch, and the rest.
struct NewKeys {
  SecretBytes master;
  std::vector<DataKey> keys;
  static NewKeys random();
};

}  // namespace todana
