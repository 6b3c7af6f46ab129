#include "KeyRing.h"

#include <algorithm>

#include "../Primitives/CryptoError.h"

namespace todana {

namespace {

constexpr std::string_view kDigestLabel = "Todana digest 1";

}  // namespace

NewKeys NewKeys::random() {
  NewKeys made;
  made.master = SecretBytes::random(KeyFile::kMasterSize);
  for (KeyPurpose purpose : {KeyPurpose::epoch, KeyPurpose::header, KeyPurpose::name, KeyPurpose::digest}) {
    made.keys.push_back({purpose, 1, SecretBytes::random(32)});
  }
  return made;
}

KeyRing::KeyRing(const StoreID &storeID, DataCipher cipher, SecretBytes master, const std::vector<DataKey> &keys)
    : storeID_(storeID), cipher_(cipher), master_(std::move(master)) {
  for (const DataKey &key : keys) {
    switch (key.purpose) {
      case KeyPurpose::epoch: addEpoch(key.number, key.bytes); break;
      case KeyPurpose::header: headerKey_ = key.bytes.copy(); break;
      case KeyPurpose::name: nameKey_ = key.bytes.copy(); break;
      case KeyPurpose::digest: digestKey_ = key.bytes.copy(); break;
    }
  }
  if (currentEpoch_ == 0 || headerKey_.isEmpty() || nameKey_.isEmpty() || digestKey_.isEmpty()) {
    throw SealingError(TDS_DAMAGED_KEYS, "a key that every store has is missing from the file of keys");
  }
}

std::shared_ptr<const SecretBytes> KeyRing::epochKey(uint32_t epoch) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = epochs_.find(epoch);
  return found == epochs_.end() ? nullptr : found->second;
}

void KeyRing::addEpoch(uint32_t epoch, const SecretBytes &key) {
  const size_t keySize = cipher_ == DataCipher::aes128 ? 16 : 32;
  if (epoch == 0 || key.size() < keySize) throw SealingError(TDS_DAMAGED_KEYS, "a key in the file of keys is damaged");
  auto bytes = std::make_shared<const SecretBytes>(key.data(), keySize);
  std::lock_guard<std::mutex> lock(mutex_);
  epochs_[epoch] = std::move(bytes);
  const uint32_t newest = epochs_.rbegin()->first;
  if (newest == currentEpoch_) return;
  sealCount_ = 0;
  currentEpoch_.store(newest, std::memory_order_release);
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

std::array<uint8_t, KeyRing::kNameKeySize> KeyRing::nameKey(ByteView name) const {
  const Hash hash = hmacSHA256(nameKey_, name);
  std::array<uint8_t, kNameKeySize> key;
  std::copy(hash.begin(), hash.begin() + kNameKeySize, key.begin());
  return key;
}

SecretBytes KeyRing::digestKey(uint32_t structure) const {
  uint8_t number[4];
  for (int index = 0; index < 4; index++) number[index] = static_cast<uint8_t>(structure >> 8 * index);
  return hkdfSHA256(digestKey_, {number, sizeof number}, kDigestLabel, 16);
}

}  // namespace todana
