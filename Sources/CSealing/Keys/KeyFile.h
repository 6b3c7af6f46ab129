// The file that turns a passphrase into a store's keys: slots, each of which holds the master key under one secret, and
// the keys that data are sealed with, under the master key (docs/formats/key-file.md).
//
// Adding, changing and removing a secret rewrites this file only. A value: nothing here touches a disk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../Primitives/Derivation.h"

namespace todana {

using StoreID = std::array<uint8_t, 16>;

enum class SecretKind : uint8_t {
  passphrase = 1,
  rawKey = 2,       // 16 or 32 random bytes
  recoveryKey = 3,  // 16 random bytes, printed
};

// What a user opens a store with. The bytes are the caller's.
struct Secret {
  SecretKind kind;
  ByteView bytes;
};

enum class DataCipher : uint8_t { aes128 = 1, aes256 = 2 };

// 2 is reserved. A migration's "key" is no secret: that it opens says that the store itself wrote it.
enum class KeyPurpose : uint8_t { epoch = 1, name = 3, digest = 4, migration = 5 };

struct DataKey {
  KeyPurpose purpose;
  uint32_t number;
  SecretBytes bytes;
};

class KeyFile {
 public:
  static constexpr size_t kMostSlots = 64;
  static constexpr size_t kMostKeys = 4096;
  static constexpr size_t kMostBytes = 64 + 144 * kMostSlots + 64 * kMostKeys;
  static constexpr size_t kMasterSize = 32;

  struct Slot {
    SecretKind kind;
    bool usesScrypt;
    ScryptCost cost;
    uint32_t id;
    uint64_t createdMilliseconds;
    std::array<uint8_t, 16> scryptSalt;
    std::array<uint8_t, 16> derivationSalt;
    std::array<uint8_t, 32> commitment;
    std::array<uint8_t, 48> wrappedMaster;
    // Its bytes, where they cannot be read: writing it anew must not make it look whole.
    std::optional<std::array<uint8_t, 144>> damaged;
    bool isDamaged() const { return damaged.has_value(); }
  };

  KeyFile(const StoreID &storeID, DataCipher cipher) : storeID_(storeID), cipher_(cipher) {}

  // Throws SealingError: TDS_DAMAGED_KEYS, TDS_NEWER_FORMAT. A damaged slot does not hide the others.
  static KeyFile parse(ByteView bytes);
  std::vector<uint8_t> bytes() const;

  const StoreID &storeID() const { return storeID_; }
  DataCipher cipher() const { return cipher_; }
  size_t dataKeySize() const { return cipher_ == DataCipher::aes128 ? 16 : 32; }
  uint64_t sequence() const { return sequence_; }
  // Each change that is written has a higher number, by which the newer of two copies is known.
  void advance() { sequence_++; }
  void advancePast(const KeyFile &other) { sequence_ = std::max(sequence_, other.sequence_) + 1; }
  const std::vector<Slot> &slots() const { return slots_; }

  // The master key and the slot that holds it. Throws SealingError: TDS_WRONG_SECRET, after all the work that a right
  // one would have taken; TDS_DAMAGED_SLOT; TDS_LIMIT where the file asks for more work than is ever needed.
  struct Unlocked {
    SecretBytes master;
    uint32_t slot;
  };
  Unlocked unlock(const Secret &secret) const;

  // Adds a slot and says its number. Throws SealingError: TDS_INVALID (an empty passphrase, a key of another length),
  // TDS_LIMIT.
  uint32_t addSlot(const Secret &secret, const SecretBytes &master, const ScryptCost &cost, uint64_t nowMilliseconds);
  // Throws SealingError: TDS_INVALID where there is none, or it is the last one.
  void removeSlot(uint32_t id);

  void addKey(const DataKey &key, const SecretBytes &master);
  void removeKey(KeyPurpose purpose, uint32_t number);
  bool hasKey(KeyPurpose purpose, uint32_t number) const;
  // Of earlier generations; what marks a migration is of none.
  bool hasKeysBefore(uint32_t keyGeneration) const;
  void removeKeysBefore(uint32_t keyGeneration);
  // Takes over the keys of another file that this master key opens and this file does not have. Returns how many it opens.
  size_t mergeKeys(const KeyFile &other, const SecretBytes &master);
  // Throws SealingError(TDS_DAMAGED_KEYS).
  std::vector<DataKey> keys(const SecretBytes &master) const;

 private:
  struct WrappedKey {
    KeyPurpose purpose;
    uint32_t number;
    std::array<uint8_t, 48> wrapped;
  };

  static bool isBefore(const WrappedKey &key, uint32_t keyGeneration) {
    return key.purpose != KeyPurpose::migration && key.number < keyGeneration;
  }
  void requireBearableWork() const;
  std::optional<SecretBytes> tryOpen(const Slot &slot, const SecretBytes &derived) const;
  std::array<uint8_t, 56> head(const Slot &slot) const;
  std::array<uint8_t, 16> head(const WrappedKey &key) const;
  SecretBytes wrappingKey(const SecretBytes &master) const;
  SecretBytes open(const WrappedKey &key, const SecretBytes &wrapping) const;

  StoreID storeID_;
  DataCipher cipher_;
  uint64_t sequence_ = 0;
  std::vector<Slot> slots_;
  std::vector<WrappedKey> keys_;
};

}  // namespace todana
