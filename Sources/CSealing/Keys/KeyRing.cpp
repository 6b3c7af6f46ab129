#include "KeyRing.h"

#include <algorithm>

#include "../Primitives/AesSiv.h"
#include "../Primitives/CryptoError.h"

namespace todana {

namespace {

constexpr std::string_view kDigestLabel = "Todana digest 1";
constexpr std::string_view kNameLabel = "Todana name 1";

}  // namespace

std::vector<DataKey> newKeyGeneration(uint32_t number) {
  std::vector<DataKey> keys;
  for (KeyPurpose purpose : {KeyPurpose::epoch, KeyPurpose::name, KeyPurpose::digest}) {
    keys.push_back({purpose, number, SecretBytes::random(32)});
  }
  return keys;
}

KeyRing::KeyRing(const StoreID &storeID, DataCipher cipher, const std::vector<DataKey> &keys)
    : storeID_(storeID), cipher_(cipher) {
  add(*prepare(cipher, keys));
  if (currentEpoch_ == 0 || keyGeneration_ == 0) {
    throw SealingError(TDS_DAMAGED_KEYS, "a key that every store has is missing from the file of keys");
  }
}

std::shared_ptr<KeyRing::Addition> KeyRing::prepare(DataCipher cipher, const std::vector<DataKey> &keys) {
  const size_t keySize = cipher == DataCipher::aes128 ? 16 : 32;
  auto addition = std::make_shared<Addition>();
  for (const DataKey &key : keys) {
    if (key.number == 0 || key.bytes.size() < keySize) {
      throw SealingError(TDS_DAMAGED_KEYS, "a key in the file of keys is damaged");
    }
    switch (key.purpose) {
      case KeyPurpose::epoch:
        addition->epochs[key.number] = std::make_shared<const SecretBytes>(key.bytes.data(), keySize);
        break;
      case KeyPurpose::name: addition->generations[key.number].nameKey = key.bytes.copy(); break;
      case KeyPurpose::digest: addition->generations[key.number].digestKey = key.bytes.copy(); break;
      case KeyPurpose::migration: break;
    }
  }
  return addition;
}

// Keys that are already present stay unchanged.
void KeyRing::add(Addition &keys) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  epochs_.merge(keys.epochs);
  generations_.merge(keys.generations);
  for (const auto &[number, keyGeneration] : generations_) {
    if (keyGeneration.isWhole()) keyGeneration_.store(number, std::memory_order_release);
  }
  if (epochs_.empty()) return;
  const uint32_t newest = epochs_.rbegin()->first;
  if (newest == currentEpoch_) return;
  sealCount_ = 0;
  currentEpoch_.store(newest, std::memory_order_release);
}

std::shared_ptr<const SecretBytes> KeyRing::epochKey(uint32_t epoch) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = epochs_.find(epoch);
  return found == epochs_.end() ? nullptr : found->second;
}

void KeyRing::raiseSealCount(uint64_t count) const {
  uint64_t known = sealCount_.load(std::memory_order_relaxed);
  while (known < count && !sealCount_.compare_exchange_weak(known, count, std::memory_order_relaxed)) {
  }
}

void KeyRing::drawNonces(uint8_t *nonces, size_t count) const {
  sealCount_.fetch_add(count, std::memory_order_relaxed);
  nonces_.draw(nonces, count);
}

bool KeyRing::has(uint32_t keyGeneration) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = generations_.find(keyGeneration);
  return found != generations_.end() && found->second.isWhole();
}

const KeyRing::Generation &KeyRing::whole(uint32_t number) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = generations_.find(number);
  if (found == generations_.end() || !found->second.isWhole()) {
    throw SealingError(TDS_DAMAGED_KEYS, "a key that the store's data name is missing from the file of keys");
  }
  return found->second;
}

KeyRing::NameKey KeyRing::nameKey(uint32_t keyGeneration, ByteView name) const {
  const Hash hash = hmacSHA256(whole(keyGeneration).nameKey, name);
  NameKey key;
  std::copy(hash.begin(), hash.begin() + kNameKeySize, key.begin());
  return key;
}

SecretBytes KeyRing::nameSealingKey(uint32_t keyGeneration) const {
  return hkdfSHA256(whole(keyGeneration).nameKey, {storeID_.data(), storeID_.size()}, kNameLabel, 64);
}

std::vector<uint8_t> KeyRing::sealName(uint32_t keyGeneration, ByteView name) const {
  return sivSeal(nameSealingKey(keyGeneration), {kNameLabel}, name);
}

SecretBytes KeyRing::openName(uint32_t keyGeneration, ByteView sealed) const {
  return sivOpen(nameSealingKey(keyGeneration), {kNameLabel}, sealed);
}

SecretBytes KeyRing::digestKey(uint32_t keyGeneration, uint32_t keyspace) const {
  uint8_t number[4];
  for (int index = 0; index < 4; index++) number[index] = static_cast<uint8_t>(keyspace >> 8 * index);
  return hkdfSHA256(whole(keyGeneration).digestKey, {number, sizeof number}, kDigestLabel, 16);
}

}  // namespace todana
