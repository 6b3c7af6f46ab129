// The file of keys, from which a passphrase or another secret opens a store's keys (docs/formats/key-file.md). Each
// slot holds the master key, sealed under one secret. The keys that seal data are sealed under the master key.
//
// Adding, changing and removing a secret rewrites only this file. The class is a value, and does not access the disk.
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

// A secret with which a user opens a store. The caller owns the bytes.
struct Secret {
  SecretKind kind;
  ByteView bytes;
};

enum class DataCipher : uint8_t { aes128 = 1, aes256 = 2 };

// The purpose of a key under the master key; 2 is reserved. The "key" of a migration is a mark, not a secret: if it
// opens under the master key, the store itself has written it.
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
    // The bytes of an unreadable slot: rewriting the file must not make the slot look sound.
    std::optional<std::array<uint8_t, 144>> damaged;
    bool isDamaged() const { return damaged.has_value(); }
  };

  KeyFile(const StoreID &storeID, DataCipher cipher) : storeID_(storeID), cipher_(cipher) {}

  // Throws SealingError: TDS_DAMAGED_KEYS, TDS_NEWER_FORMAT. A damaged slot does not make the others unreadable.
  static KeyFile parse(ByteView bytes);
  std::vector<uint8_t> bytes() const;

  const StoreID &storeID() const { return storeID_; }
  DataCipher cipher() const { return cipher_; }
  size_t dataKeySize() const { return cipher_ == DataCipher::aes128 ? 16 : 32; }
  uint64_t sequence() const { return sequence_; }
  // Increases the sequence number. Call it for each change that is written: of two copies, the one with the higher
  // number is newer.
  void advance() { sequence_++; }
  void advancePast(const KeyFile &other) { sequence_ = std::max(sequence_, other.sequence_) + 1; }
  const std::vector<Slot> &slots() const { return slots_; }

  // Opens the file; returns the master key and the slot that holds it. Throws SealingError: TDS_WRONG_SECRET, after as
  // much work as for a correct secret; TDS_DAMAGED_SLOT; TDS_LIMIT if the file demands more work than is ever needed.
  struct Unlocked {
    SecretBytes master;
    uint32_t slot;
  };
  Unlocked unlock(const Secret &secret) const;

  // Adds a slot, and returns its number. Throws SealingError: TDS_INVALID (an empty passphrase, a key of another
  // length), TDS_LIMIT.
  uint32_t addSlot(const Secret &secret, const SecretBytes &master, const ScryptCost &cost, uint64_t nowMilliseconds);
  // Throws SealingError: TDS_INVALID if there is no such slot, or if it is the last one.
  void removeSlot(uint32_t id);

  void addKey(const DataKey &key, const SecretBytes &master);
  void removeKey(KeyPurpose purpose, uint32_t number);
  bool hasKey(KeyPurpose purpose, uint32_t number) const;
  // Test for, and remove, keys of earlier generations. The mark of a migration belongs to no generation.
  bool hasKeysBefore(uint32_t keyGeneration) const;
  void removeKeysBefore(uint32_t keyGeneration);
  // Adds the keys of another file that the master key opens, and that this file lacks. Returns the number of keys that
  // the master key opens.
  size_t mergeKeys(const KeyFile &other, const SecretBytes &master);
  // Returns all keys. Throws SealingError(TDS_DAMAGED_KEYS) if one of them is damaged.
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
