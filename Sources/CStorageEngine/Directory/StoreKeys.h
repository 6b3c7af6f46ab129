// A store's file of keys, in two copies, and what opening it gave.
//
// It stands outside of the log: a secret is added, changed or removed by replacing both copies, one after the other, so
// that one is whole at any moment. The one with the higher number is the newer.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "../../CSealing/Keys/KeyRing.h"
#include "../../CSealing/Primitives/CryptoError.h"
#include "../Disk/Disk.h"
#include "../Disk/Failure.h"
#include "../Disk/Mutex.h"

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

  // What is under way with a store that is not wholly encrypted, nor wholly plain. That a store may be in that state at
  // all stands in the file of keys, under the master key: nobody else can claim it.
  enum class Migration : uint32_t { none = 0, encrypting = 1, decrypting = 2 };

  // For a new store, whose superblock is not written yet, or for a plain one that is to be encrypted.
  static std::unique_ptr<StoreKeys> create(
    Disk &disk, const StoreID &storeID, const Secret &secret, DataCipher cipher, const ScryptCost &cost,
    Migration migration = Migration::none);
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
  // The names of copies that are not as they were written. One that an interrupted change has left behind is older, not
  // damaged.
  std::vector<std::string> damagedCopies();
  std::vector<uint8_t> exported();
  // A new key, which is durable before it is used, for what is sealed from now on. What was sealed stays as it is.
  void addEpoch();

  // -- Renewing all keys
  struct Renewal {
    std::vector<SlotInfo> kept;     // opened the store before, and do so now, with new numbers
    std::vector<SlotInfo> removed;  // do so no more
  };
  // A new master key and a new generation under it. Only these secrets open the store from now on. The keys that there
  // were stay, until nothing needs them any more.
  Renewal renew(const std::vector<Secret> &secrets, const ScryptCost &cost);
  // Whether keys of an earlier generation are there.
  bool hasEarlierKeys();
  // Nothing is sealed under any other keys than those of the newest generation.
  void forgetEarlierKeys();

  Migration migration();
  void setMigration(Migration migration);
  // The store is a plain one: its file of keys goes.
  void remove();
  bool isRemoved() const { return isRemoved_; }

 private:
  StoreKeys(Disk &disk, KeyFile file, SecretBytes master, bool mayWrite)
      : disk_(disk), file_(std::move(file)), master_(std::move(master)), mayWrite_(mayWrite) {}

  // A change that is written wholly, or not at all; `accept`, which must not fail, is called with the mutex held when it
  // is.
  template <class Change, class Accept> auto edit(Change change, Accept accept);
  template <class Change> auto edit(Change change) {
    return edit(change, []() noexcept {});
  }
  static SlotInfo info(const KeyFile::Slot &slot, uint32_t slotInUse);
  std::vector<SlotInfo> lockedSlots() const;
  void restore(KeyFile &before, uint32_t slotBefore, bool mayBeWritten);
  void write();
  void writeCopy(const char *name, const std::vector<uint8_t> &bytes);

  Disk &disk_;
  Mutex mutex_;  // for what follows; changes are functions that `edit` calls, which the analysis cannot follow
  KeyFile file_;
  SecretBytes master_;
  const bool mayWrite_;
  uint32_t slotInUse_ = 0;
  std::atomic<bool> isRemoved_{false};
  std::shared_ptr<KeyRing> ring_;
};

// What a C caller opens a store with. Throws Failure(TDN_INVALID).
Secret secretOf(const tds_secret &secret);

// Of an encrypted store without its file of keys.
Failure missingKeys();

// What sealing throws, as what the cabinet throws.
Failure failureOf(const SealingError &error, const std::string &file = {});

}  // namespace todana
