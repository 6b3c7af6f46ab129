// A store's directory: finds or creates it, locks it against other processes, and reads its superblock and its keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../Disk/DirectoryLock.h"
#include "../Disk/Disk.h"
#include "../include/StorageEngineOpening.h"
#include "StoreKeys.h"

namespace todana {

constexpr uint32_t kFormatVersion = 2;

// The content of a superblock. A value: any thread.
struct StoreIdentity {
  uint8_t storeID[16];
  uint32_t formatVersion;
};

// Returns the cost of trying a passphrase, for passphrases that are added.
ScryptCost scryptCost(const tdn_options &options);

// An open store's directory, whose lock is held until the object is destroyed. Cabinet owns it; BackupWriter and
// SalvageSource call the static functions for the superblock.
//
// One thread opens it. Afterwards any thread under Cabinet's session lock; `setKeys` only while Cabinet holds that lock
// exclusively.
class StoreDirectory {
 public:
  // Opens the directory. Creates files only in a new or empty directory. Throws Failure: TDN_NOT_FOUND,
  // TDN_NOT_A_STORE, TDN_NEWER_FORMAT, TDN_OLDER_FORMAT, TDN_DAMAGED, TDN_IN_USE, TDN_NO_PERMISSION, and others.
  static std::unique_ptr<StoreDirectory> open(const std::string &path, const tdn_options &options);

  // Replaces the file of keys of a store that is not open, and locks the directory for that. Throws Failure as `open`
  // does, and TDN_NOT_ENCRYPTED.
  static void importKeys(const std::string &path, ByteView exported, const Secret &secret);

  // Deletes the files of the store at `path`, the keys first and the superblock last, and then the directory if it is
  // empty. Throws Failure: TDN_NOT_FOUND, TDN_IN_USE, TDN_NO_PERMISSION.
  static void destroy(const std::string &path, int64_t waitMilliseconds);

  static constexpr const char *kSuperblockName = "superblock";
  // Reads the superblock. Throws Failure: TDN_NEWER_FORMAT, TDN_OLDER_FORMAT, TDN_DAMAGED.
  static StoreIdentity readSuperblock(Disk &disk);

  // Tests whether both copies of the superblock are undamaged.
  static bool isSuperblockSound(Disk &disk);

  Disk &disk() { return *disk_; }
  const uint8_t *storeID() const { return storeID_; }
  uint32_t formatVersion() const { return formatVersion_; }
  bool wasCreated() const { return wasCreated_; }
  // Returns the file of keys; null in a plain store.
  StoreKeys *keys() { return keys_.get(); }
  // Creates the file of keys for a plain store that will be encrypted.
  std::unique_ptr<StoreKeys> makeKeys(const Secret &secret, const tdn_options &options);
  void setKeys(std::unique_ptr<StoreKeys> keys) { keys_ = std::move(keys); }
  // Lets the lock go, as a child of the process that holds it.
  void unlock() { lock_ = nullptr; }

 private:
  StoreDirectory() = default;
  void create(const tdn_options &options);
  StoreID identity() const;
  void repairSuperblock();
  void openKeys(const tdn_options &options);
  void openDirectory(const std::string &path, const tdn_options &options);

  std::unique_ptr<Disk> disk_;
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<StoreKeys> keys_;
  uint8_t storeID_[16] = {};
  uint32_t formatVersion_ = kFormatVersion;
  bool wasCreated_ = false;
};

}  // namespace todana
