#include "KeyFile.h"

#include <algorithm>
#include <cstring>

#include <openssl/rand.h>

#include "../Primitives/AesSiv.h"
#include "../Primitives/CryptoError.h"

namespace todana {

namespace {

constexpr char kMagic[] = "TDNKEYS\n";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderSize = 64;
constexpr size_t kSlotHeadSize = 56;
constexpr size_t kSlotSize = 144;
constexpr size_t kKeyHeadSize = 16;
constexpr size_t kKeySize = 64;
constexpr size_t kCheckSize = 8;
constexpr size_t kWrappingKeySize = 64;
constexpr std::string_view kSlotLabel = "Todana slot 1";
constexpr std::string_view kKeyLabel = "Todana key 1";

// Writes a number in little-endian order.
template <class Number> void put(uint8_t *bytes, Number number) {
  for (size_t index = 0; index < sizeof number; index++) bytes[index] = static_cast<uint8_t>(number >> 8 * index);
}

template <class Number> Number get(const uint8_t *bytes) {
  Number number = 0;
  for (size_t index = sizeof number; index-- > 0;) number = static_cast<Number>(number << 8 | bytes[index]);
  return number;
}

void putCheck(uint8_t *bytes, size_t count) { std::memcpy(bytes + count, sha256({bytes, count}).data(), kCheckSize); }

bool hasCheck(const uint8_t *bytes, size_t count) {
  return std::memcmp(bytes + count, sha256({bytes, count}).data(), kCheckSize) == 0;
}

template <size_t count> std::array<uint8_t, count> randomBytes() {
  std::array<uint8_t, count> bytes;
  require(RAND_bytes(bytes.data(), static_cast<int>(count)) == 1, "RAND_bytes");
  return bytes;
}

bool sharesDerivation(const KeyFile::Slot &one, const KeyFile::Slot &other) {
  return one.usesScrypt == other.usesScrypt && one.cost.log2N == other.cost.log2N && one.cost.r == other.cost.r &&
         one.cost.p == other.cost.p && one.scryptSalt == other.scryptSalt;
}

SecretBytes derive(const KeyFile::Slot &slot, ByteView secret) {
  if (!slot.usesScrypt) return SecretBytes(secret.data, secret.size);
  return scrypt(secret, {slot.scryptSalt.data(), slot.scryptSalt.size()}, slot.cost, 32);
}

// Returns the wrapping key, followed by the commitment.
SecretBytes expand(const KeyFile::Slot &slot, const SecretBytes &derived) {
  return hkdfSHA256(
    derived, {slot.derivationSalt.data(), slot.derivationSalt.size()}, kSlotLabel, kWrappingKeySize + 32);
}

void requireSound(const Secret &secret) {
  if (secret.bytes.size == 0) throw SealingError(TDS_INVALID, "a passphrase or key must not be empty");
  // scrypt begins with HMAC, which appends zeros to its key: the passphrase without the NUL would be the same.
  if (secret.kind == SecretKind::passphrase && secret.bytes.data[secret.bytes.size - 1] == 0) {
    throw SealingError(TDS_INVALID, "a passphrase must not end with a NUL character");
  }
  const size_t size = secret.bytes.size;
  if (secret.kind == SecretKind::rawKey && size != 16 && size != 32) {
    throw SealingError(TDS_INVALID, "a key must have 16 or 32 bytes");
  }
  if (secret.kind == SecretKind::recoveryKey && size != 16) {
    throw SealingError(TDS_INVALID, "a recovery key must have 16 bytes");
  }
}

}  // namespace

// MARK: The file's bytes

std::array<uint8_t, 56> KeyFile::head(const Slot &slot) const {
  std::array<uint8_t, kSlotHeadSize> head{};
  head[0] = static_cast<uint8_t>(slot.kind);
  head[1] = slot.usesScrypt ? 1 : 0;
  head[2] = slot.cost.log2N;
  put(&head[4], slot.cost.r);
  put(&head[8], slot.cost.p);
  put(&head[12], slot.id);
  put(&head[16], slot.createdMilliseconds);
  std::copy(slot.scryptSalt.begin(), slot.scryptSalt.end(), &head[24]);
  std::copy(slot.derivationSalt.begin(), slot.derivationSalt.end(), &head[40]);
  return head;
}

std::array<uint8_t, 16> KeyFile::head(const WrappedKey &key) const {
  std::array<uint8_t, kKeyHeadSize> head{};
  head[0] = static_cast<uint8_t>(key.purpose);
  put(&head[4], key.number);
  return head;
}

std::vector<uint8_t> KeyFile::bytes() const {
  std::vector<uint8_t> bytes(kHeaderSize + kSlotSize * slots_.size() + kKeySize * keys_.size());
  uint8_t *position = bytes.data();
  std::memcpy(position, kMagic, 8);
  put(position + 8, kVersion);
  position[12] = static_cast<uint8_t>(cipher_);
  put(position + 14, static_cast<uint16_t>(slots_.size()));
  std::copy(storeID_.begin(), storeID_.end(), position + 16);
  put(position + 32, sequence_);
  put(position + 40, static_cast<uint16_t>(keys_.size()));
  putCheck(position, kHeaderSize - kCheckSize);
  position += kHeaderSize;
  for (const Slot &slot : slots_) {
    if (slot.damaged) {
      position = std::copy(slot.damaged->begin(), slot.damaged->end(), position);
      continue;
    }
    const auto slotHead = head(slot);
    std::copy(slotHead.begin(), slotHead.end(), position);
    std::copy(slot.commitment.begin(), slot.commitment.end(), position + kSlotHeadSize);
    std::copy(slot.wrappedMaster.begin(), slot.wrappedMaster.end(), position + kSlotHeadSize + 32);
    putCheck(position, kSlotSize - kCheckSize);
    position += kSlotSize;
  }
  for (const WrappedKey &key : keys_) {
    const auto keyHead = head(key);
    std::copy(keyHead.begin(), keyHead.end(), position);
    std::copy(key.wrapped.begin(), key.wrapped.end(), position + kKeyHeadSize);
    position += kKeySize;
  }
  return bytes;
}

KeyFile KeyFile::parse(ByteView bytes) {
  const auto damaged = [] { return SealingError(TDS_DAMAGED_KEYS, "the file of keys is damaged"); };
  if (bytes.size < kHeaderSize || std::memcmp(bytes.data, kMagic, 8) != 0) throw damaged();
  if (get<uint32_t>(bytes.data + 8) > kVersion) {
    throw SealingError(TDS_NEWER_FORMAT, "a newer version of Todana wrote the file of keys");
  }
  if (!hasCheck(bytes.data, kHeaderSize - kCheckSize)) throw damaged();
  const uint8_t cipher = bytes.data[12];
  if (cipher != static_cast<uint8_t>(DataCipher::aes128) && cipher != static_cast<uint8_t>(DataCipher::aes256)) {
    throw SealingError(TDS_NEWER_FORMAT, "the store is encrypted in a way that this version of Todana does not know");
  }
  StoreID storeID;
  std::copy(bytes.data + 16, bytes.data + 32, storeID.begin());
  KeyFile file(storeID, static_cast<DataCipher>(cipher));
  file.sequence_ = get<uint64_t>(bytes.data + 32);
  const size_t slotCount = get<uint16_t>(bytes.data + 14), keyCount = get<uint16_t>(bytes.data + 40);
  if (slotCount > kMostSlots || keyCount > kMostKeys) throw damaged();
  if (bytes.size != kHeaderSize + kSlotSize * slotCount + kKeySize * keyCount) throw damaged();
  const uint8_t *position = bytes.data + kHeaderSize;
  for (size_t index = 0; index < slotCount; index++, position += kSlotSize) {
    Slot slot;
    slot.kind = static_cast<SecretKind>(position[0]);
    slot.usesScrypt = position[1] == 1;
    slot.cost = {position[2], get<uint32_t>(position + 4), get<uint32_t>(position + 8)};
    slot.id = get<uint32_t>(position + 12);
    slot.createdMilliseconds = get<uint64_t>(position + 16);
    std::copy(position + 24, position + 40, slot.scryptSalt.begin());
    std::copy(position + 40, position + 56, slot.derivationSalt.begin());
    std::copy(position + 56, position + 88, slot.commitment.begin());
    std::copy(position + 88, position + 136, slot.wrappedMaster.begin());
    const bool isSound = hasCheck(position, kSlotSize - kCheckSize) && position[1] <= 1 && position[0] >= 1 &&
                         position[0] <= 3 && slot.usesScrypt == (slot.kind == SecretKind::passphrase);
    if (!isSound) std::copy(position, position + kSlotSize, slot.damaged.emplace().begin());
    file.slots_.push_back(slot);
  }
  for (size_t index = 0; index < keyCount; index++, position += kKeySize) {
    WrappedKey key;
    key.purpose = static_cast<KeyPurpose>(position[0]);
    key.number = get<uint32_t>(position + 4);
    const auto keyHead = file.head(key);
    if (!std::equal(keyHead.begin(), keyHead.end(), position)) throw damaged();
    std::copy(position + kKeyHeadSize, position + kKeySize, key.wrapped.begin());
    file.keys_.push_back(key);
  }
  return file;
}

// MARK: Slots

// Throws if trying one passphrase takes too much work in total, before any of it is done: the file may be an attack.
void KeyFile::requireBearableWork() const {
  uint64_t work = 0;
  for (size_t index = 0; index < slots_.size(); index++) {
    const Slot &slot = slots_[index];
    if (slot.isDamaged() || !slot.usesScrypt) continue;
    const auto isSame = [&](const Slot &other) { return !other.isDamaged() && sharesDerivation(slot, other); };
    const bool isKnown = std::any_of(slots_.begin(), slots_.begin() + static_cast<ptrdiff_t>(index), isSame);
    if (isKnown) continue;
    const uint64_t more = slot.cost.work();
    if (more == UINT64_MAX || (work += more) > ScryptCost::kMostWork) {
      throw SealingError(TDS_LIMIT, "the file of keys needs too much memory or time to open");
    }
  }
}

KeyFile::Unlocked KeyFile::unlock(const Secret &secret) const {
  requireSound(secret);
  requireBearableWork();
  bool hasDamagedSlot = false;
  for (size_t index = 0; index < slots_.size(); index++) {
    const Slot &first = slots_[index];
    hasDamagedSlot |= first.isDamaged();
    if (first.isDamaged() || first.kind != secret.kind) continue;
    const auto belongs = [&](const Slot &slot) {
      return !slot.isDamaged() && slot.kind == secret.kind && sharesDerivation(slot, first);
    };
    if (std::any_of(slots_.begin(), slots_.begin() + static_cast<ptrdiff_t>(index), belongs)) continue;
    const SecretBytes derived = derive(first, secret.bytes);
    for (size_t other = index; other < slots_.size(); other++) {
      if (!belongs(slots_[other])) continue;
      if (std::optional<SecretBytes> master = tryOpen(slots_[other], derived)) {
        return {std::move(*master), slots_[other].id};
      }
    }
  }
  if (hasDamagedSlot) {
    throw SealingError(TDS_DAMAGED_SLOT, "a key slot is damaged, and no other slot opens with this passphrase or key");
  }
  throw SealingError(TDS_WRONG_SECRET, "the passphrase or key does not open the store");
}

// Returns nothing if the slot belongs to another secret.
std::optional<SecretBytes> KeyFile::tryOpen(const Slot &slot, const SecretBytes &derived) const {
  const SecretBytes keys = expand(slot, derived);
  const SecretBytes commitment(keys.data() + kWrappingKeySize, 32);
  if (!commitment.equals(slot.commitment.data(), slot.commitment.size())) return std::nullopt;
  const SecretBytes wrapping(keys.data(), kWrappingKeySize);
  const auto slotHead = head(slot);
  SecretBytes master = sivOpen(
    wrapping, {kSlotLabel, {storeID_.data(), storeID_.size()}, {slotHead.data(), slotHead.size()}},
    {slot.wrappedMaster.data(), slot.wrappedMaster.size()});
  if (master.isEmpty()) {
    throw SealingError(TDS_DAMAGED_SLOT, "the key slot for this passphrase or key was changed, or is of another store");
  }
  return master;
}

uint32_t KeyFile::addSlot(
  const Secret &secret, const SecretBytes &master, const ScryptCost &cost, uint64_t nowMilliseconds) {
  requireSound(secret);
  if (slots_.size() >= kMostSlots) throw SealingError(TDS_LIMIT, "a store can have at most 64 passphrases and keys");
  Slot slot{};
  slot.kind = secret.kind;
  slot.usesScrypt = secret.kind == SecretKind::passphrase;
  slot.id = 1;
  for (const Slot &other : slots_) slot.id = std::max(slot.id, other.id + 1);
  slot.createdMilliseconds = nowMilliseconds;
  if (slot.usesScrypt) {
    slot.cost = cost;
    slot.scryptSalt = randomBytes<16>();
    // If slots have equal salts, one derivation suffices to try a passphrase on all of them.
    for (const Slot &other : slots_) {
      if (other.isDamaged() || !other.usesScrypt || other.cost.log2N != cost.log2N || other.cost.r != cost.r ||
          other.cost.p != cost.p) continue;
      slot.scryptSalt = other.scryptSalt;
    }
  } else {
    slot.cost = {0, 0, 0};
  }
  slot.derivationSalt = randomBytes<16>();
  const SecretBytes keys = expand(slot, derive(slot, secret.bytes));
  std::copy(keys.data() + kWrappingKeySize, keys.data() + keys.size(), slot.commitment.begin());
  const auto slotHead = head(slot);
  const std::vector<uint8_t> wrapped = sivSeal(
    SecretBytes(keys.data(), kWrappingKeySize),
    {kSlotLabel, {storeID_.data(), storeID_.size()}, {slotHead.data(), slotHead.size()}}, master);
  std::copy(wrapped.begin(), wrapped.end(), slot.wrappedMaster.begin());
  slots_.push_back(slot);
  requireBearableWork();
  return slot.id;
}

void KeyFile::removeSlot(uint32_t id) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot &slot) { return slot.id == id; });
  if (found == slots_.end()) throw SealingError(TDS_INVALID, "there is no key slot with this number");
  const bool hasOther = std::any_of(slots_.begin(), slots_.end(), [&](const Slot &slot) {
    return slot.id != id && !slot.isDamaged();
  });
  if (!hasOther) throw SealingError(TDS_INVALID, "the last passphrase or key of a store cannot be removed");
  slots_.erase(found);
}

// MARK: Keys under the master key

SecretBytes KeyFile::wrappingKey(const SecretBytes &master) const {
  return hkdfSHA256(master, {storeID_.data(), storeID_.size()}, kKeyLabel, kWrappingKeySize);
}

void KeyFile::addKey(const DataKey &key, const SecretBytes &master) {
  if (keys_.size() >= kMostKeys) throw SealingError(TDS_LIMIT, "the file of keys is full: rotate the store's keys");
  WrappedKey wrapped{key.purpose, key.number, {}};
  const auto keyHead = head(wrapped);
  const std::vector<uint8_t> sealed = sivSeal(
    wrappingKey(master), {kKeyLabel, {storeID_.data(), storeID_.size()}, {keyHead.data(), keyHead.size()}}, key.bytes);
  if (sealed.size() != wrapped.wrapped.size()) throw SealingError(TDS_INVALID, "a key has 32 bytes");
  std::copy(sealed.begin(), sealed.end(), wrapped.wrapped.begin());
  keys_.push_back(wrapped);
}

void KeyFile::removeKey(KeyPurpose purpose, uint32_t number) {
  keys_.erase(
    std::remove_if(
      keys_.begin(), keys_.end(),
      [&](const WrappedKey &key) { return key.purpose == purpose && key.number == number; }),
    keys_.end());
}

bool KeyFile::hasKey(KeyPurpose purpose, uint32_t number) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const WrappedKey &key) {
    return key.purpose == purpose && key.number == number;
  });
}

bool KeyFile::hasKeysBefore(uint32_t keyGeneration) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const WrappedKey &key) { return isBefore(key, keyGeneration); });
}

void KeyFile::removeKeysBefore(uint32_t keyGeneration) {
  keys_.erase(
    std::remove_if(keys_.begin(), keys_.end(), [&](const WrappedKey &key) { return isBefore(key, keyGeneration); }),
    keys_.end());
}

// Returns the key; empty if it is damaged, or sealed under another master key.
SecretBytes KeyFile::open(const WrappedKey &key, const SecretBytes &wrapping) const {
  const auto keyHead = head(key);
  return sivOpen(
    wrapping, {kKeyLabel, {storeID_.data(), storeID_.size()}, {keyHead.data(), keyHead.size()}},
    {key.wrapped.data(), key.wrapped.size()});
}

size_t KeyFile::mergeKeys(const KeyFile &other, const SecretBytes &master) {
  const SecretBytes wrapping = wrappingKey(master);
  size_t count = 0;
  for (const WrappedKey &key : other.keys_) {
    if (open(key, wrapping).isEmpty()) continue;
    count++;
    const bool isKnown = std::any_of(keys_.begin(), keys_.end(), [&](const WrappedKey &known) {
      return known.purpose == key.purpose && known.number == key.number;
    });
    if (!isKnown) keys_.push_back(key);
  }
  return count;
}

std::vector<DataKey> KeyFile::keys(const SecretBytes &master) const {
  const SecretBytes wrapping = wrappingKey(master);
  std::vector<DataKey> keys;
  for (const WrappedKey &key : keys_) {
    SecretBytes bytes = open(key, wrapping);
    if (bytes.isEmpty()) throw SealingError(TDS_DAMAGED_KEYS, "a key in the file of keys is damaged");
    keys.push_back({key.purpose, key.number, std::move(bytes)});
  }
  return keys;
}

}  // namespace todana
