// A store's file of keys, in two copies, and what opening it gave.
//
// It stands outside of the log: a secret is added, changed or removed by replacing both copies, one after the other, so
// that one is whole at any moment. The one with the higher number is the newer.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/CryptoError.h"
#include "../Disk.h"
#include "../Failure.h"

namespace todana {

class StoreKeys {
 public:
  static constexpr const char *kName = "keys";
  static constexpr const char *kCopyName = "keys-copy";
  static constexpr const char *kNewName = "keys.new";
  // Stands in a copy of an encrypted store until it is opened for writing: what is written then is sealed under a key that
  // the store it came from will not use as well.
  static constexpr const char *kCopyMark = "copied";
  static void markCopy(Disk &copy);

  static bool isKeyFile(const std::string &name) { return name == kName || name == kCopyName || name == kNewName; }

  // Whether the store is encrypted.
  static bool exist(Disk &disk);
  // Whether the store is encrypted and has lost its keys: only then are data files named by numbers alone. Looks at all
  // names.
  static bool areMissing(Disk &disk);

  // For a new store; its superblock is not written yet.
  static std::unique_ptr<StoreKeys> create(
    Disk &disk, const StoreID &storeID, const Secret &secret, DataCipher cipher, const ScryptCost &cost);
  // Throws Failure: TDN_WRONG_SECRET, TDN_DAMAGED_KEY_SLOT, TDN_DAMAGED_KEYS, TDN_NEWER_FORMAT, TDN_LIMIT. Makes both
  // copies the same where `mayWrite`. Without a store id, as salvage may have none, the file's own is taken.
  static std::unique_ptr<StoreKeys> open(
    Disk &disk, const std::optional<StoreID> &storeID, const Secret &secret, bool mayWrite);

  // Puts an exported file, which `secret` opens, in the place of the store's. Keys that the store was given since are
  // kept. Throws Failure, too, where the store's keys are others altogether: its own file would be lost.
  static void import(Disk &disk, const StoreID &storeID, ByteView exported, const Secret &secret);

  const std::shared_ptr<KeyRing> &ring() const { return ring_; }

  struct SlotInfo {
    uint32_t id;
    SecretKind kind;
    uint64_t createdMilliseconds;
    bool isDamaged;
    bool isInUse;  // it opened the store
  };
  std::vector<SlotInfo> slots();
  uint32_t addSecret(const Secret &secret, const ScryptCost &cost);
  void removeSlot(uint32_t id);
  // In place of the slot that the store was opened with: one change of the file.
  uint32_t changeSecret(const Secret &secret, const ScryptCost &cost);
  std::vector<uint8_t> exported();
  // A new key, which is durable before it is used, for what is sealed from now on. What was sealed stays as it is.
  void addEpoch();

 private:
  StoreKeys(Disk &disk, KeyFile file, bool mayWrite) : disk_(disk), file_(std::move(file)), mayWrite_(mayWrite) {}

  // A change that is written wholly, or not at all.
  template <class Change> auto edit(Change change);
  void write();
  void writeCopy(const char *name, const std::vector<uint8_t> &bytes);

  Disk &disk_;
  std::mutex mutex_;
  KeyFile file_;
  const bool mayWrite_;
  uint32_t slotInUse_ = 0;
  std::shared_ptr<KeyRing> ring_;
};

// What a C caller opens a store with. Throws Failure(TDN_INVALID).
Secret secretOf(const tds_secret &secret);

// Of an encrypted store without its file of keys.
Failure missingKeys();

// What sealing throws, as what the cabinet throws.
Failure failureOf(const SealingError &error, const std::string &file = {});

}  // namespace todana
