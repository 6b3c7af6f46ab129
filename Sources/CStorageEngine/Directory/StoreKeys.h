// A store's file of keys, in two copies, and the keys obtained by opening it.
//
// The file is not part of the log. A secret is added, changed or removed by replacing both copies, one after the other,
// so that one of them is complete at any time. The copy with the higher number is newer.
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

// The open file of keys. A change is written to both copies entirely, or not at all.
//
// StoreDirectory makes it; Cabinet, KeyMigration and the functions of StorageEngineKeys change it; SalvageSource reads
// it; the backups call `markCopy`. Any thread: its mutex guards the content, and every method that reads or changes the
// file takes it. Static functions take no lock.
class StoreKeys {
 public:
  static constexpr const char *kName = "keys";
  static constexpr const char *kCopyName = "keys-copy";
  static constexpr const char *kNewName = "keys.new";
  // A file that marks a copy of an encrypted store, until the copy is first opened for writing. That opening makes a
  // new key for the copy, which the original store does not use.
  static constexpr const char *kCopyMark = "copied";
  static void markCopy(Disk &copy);

  static bool isKeyFile(const std::string &name) { return name == kName || name == kCopyName || name == kNewName; }

  // Tests whether the store is encrypted.
  static bool exist(Disk &disk);
  // Tests whether the store is encrypted and has lost its keys: only in an encrypted store are data files named by
  // numbers alone. Reads the names of all files.
  static bool areMissing(Disk &disk);

  // An unfinished migration, in which the store is neither entirely encrypted nor entirely plain. The file of keys
  // stores it under the master key, so an attacker cannot forge it.
  enum class Migration : uint32_t { none = 0, encrypting = 1, decrypting = 2 };

  // Creates the file for a new store without a superblock, or for a plain store that will be encrypted.
  static std::unique_ptr<StoreKeys> create(
    Disk &disk, const StoreID &storeID, const Secret &secret, DataCipher cipher, const ScryptCost &cost,
    Migration migration = Migration::none);
  // Opens the file. With `mayWrite`, makes both copies of the file the same. Without a store id, as in a salvage, uses
  // the file's own. Throws Failure: TDN_WRONG_SECRET, TDN_DAMAGED_KEY_SLOT, TDN_DAMAGED_KEYS, TDN_NEWER_FORMAT,
  // TDN_LIMIT.
  static std::unique_ptr<StoreKeys> open(
    Disk &disk, const std::optional<StoreID> &storeID, const Secret &secret, bool mayWrite);

  // Replaces the store's file by an exported one, which `secret` opens. Keeps keys that were added to the store since.
  // Also throws Failure if the store has entirely different keys, because its own file would be lost.
  static void import(Disk &disk, const StoreID &storeID, ByteView exported, const Secret &secret);

  const std::shared_ptr<KeyRing> &ring() const { return ring_; }

  struct SlotInfo {
    uint32_t id;
    SecretKind kind;
    uint64_t createdMilliseconds;
    bool isDamaged;
    bool isInUse;  // opened the store
  };
  std::vector<SlotInfo> slots();
  uint32_t addSecret(const Secret &secret, const ScryptCost &cost);
  void removeSlot(uint32_t id);
  // Replaces the slot that the store was opened with, in one change of the file.
  uint32_t changeSecret(const Secret &secret, const ScryptCost &cost);
  // Returns the names of damaged copies. A copy that an interrupted change left is older, not damaged.
  std::vector<std::string> damagedCopies();
  std::vector<uint8_t> exported();
  // Adds a key for all later seals. It is durable before it is used. Sealed content does not change.
  void addEpoch();

  // -- Rotation of all keys
  struct Renewal {
    std::vector<SlotInfo> kept;     // opened the store before and still do, with new numbers
    std::vector<SlotInfo> removed;  // no longer open the store
  };
  // Makes a new master key and a new generation of keys under it. From then on only these secrets open the store. The
  // earlier keys stay until `forgetEarlierKeys`.
  Renewal renew(const std::vector<Secret> &secrets, const ScryptCost &cost);
  // Tests whether there are keys of an earlier generation.
  bool hasEarlierKeys();
  // Removes the keys of earlier generations. The caller knows that nothing is sealed under them.
  void forgetEarlierKeys();

  Migration migration();
  void setMigration(Migration migration);
  // Removes the file of keys, which makes the store a plain one.
  void remove();
  bool isRemoved() const { return isRemoved_; }

 private:
  StoreKeys(Disk &disk, KeyFile file, SecretBytes master, bool mayWrite)
      : disk_(disk), file_(std::move(file)), master_(std::move(master)), mayWrite_(mayWrite) {}

  // Writes a change entirely, or not at all. Then calls `accept`, which must not fail, with the mutex held.
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
  Mutex mutex_;  // for the fields below; `edit` calls functions that change them, which the analysis cannot follow
  KeyFile file_;
  SecretBytes master_;
  const bool mayWrite_;
  uint32_t slotInUse_ = 0;
  std::atomic<bool> isRemoved_{false};
  std::shared_ptr<KeyRing> ring_;
};

// Converts the secret of a C caller. Throws Failure(TDN_INVALID).
Secret secretOf(const tds_secret &secret);

// Makes the failure for an encrypted store without its file of keys.
Failure missingKeys();

// Converts an error of CSealing to a Failure.
Failure failureOf(const SealingError &error, const std::string &file = {});

}  // namespace todana
