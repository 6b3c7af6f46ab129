// The readable parts of a store's directory: its files, their changes in the logs, and the keyspaces of its catalog.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../Directory/StoreKeys.h"
#include "../Disk/DirectoryLock.h"
#include "../Disk/Disk.h"
#include "../Log/LogIndex.h"
#include "../include/StorageEngineKeyspaces.h"
#include "SalvagedFile.h"

namespace todana {

// One opened directory, which is never changed. The functions of StorageEngineSalvage make it. One thread, with a
// shared DirectoryLock if there is a lock file.
class SalvageSource {
 public:
  // Locks the store for reading if it has a lock file. Throws Failure: TDN_NOT_FOUND, TDN_NOT_A_STORE, TDN_IN_USE,
  // TDN_NEWER_FORMAT, TDN_OLDER_FORMAT, or an error of reading the directory. Also throws TDN_SECRET_REQUIRED,
  // TDN_NOT_ENCRYPTED, and the failures of StoreKeys. `secret` may be null.
  SalvageSource(const std::string &path, const tds_secret *secret);

  // A keyspace and its file.
  struct Keyspace {
    uint32_t id = 0;       // 0: unknown
    int32_t kind = 0;      // a `tdn_keyspace_kind`; 0: rows or keys
    std::string name;
    bool isNameKnown = false;  // false: the name was derived from the file's name
    uint32_t fileNumber = 0;
    std::string fileName;
    int64_t recordStart = 0;
    uint64_t nextRow = 1;
    std::optional<uint64_t> recordCount;
  };

  // Returns the store's id; null if it cannot be read.
  const uint8_t *storeID() const { return storeID_ ? storeID_->data() : nullptr; }
  // Returns the keys; null in a plain store.
  const std::shared_ptr<KeyRing> &keyRing() const { return ring_; }
  // Tests whether encrypting or decrypting the store was interrupted.
  bool mayBePlain() const { return mayBePlain_; }
  // Returns the losses other than records, as sentences.
  const std::vector<std::string> &losses() const { return losses_; }
  const std::vector<Keyspace> &keyspaces() const { return keyspaces_; }

  std::unique_ptr<SalvagedFile> open(const Keyspace &keyspace);

 private:
  void readSuperblock();
  void readKeys(const tds_secret *secret);
  void readLogs();
  void addLog(const char *name, const LogHeader &header);
  void readCatalog();
  void listFiles();
  void noteMissingFiles();
  void describe(Keyspace &keyspace);
  std::unique_ptr<SalvagedFile> open(uint32_t number, const std::string &name);

  const std::string path_;
  std::unique_ptr<DirectoryLock> lock_;
  DirectoryDisk disk_;
  std::optional<std::array<uint8_t, 16>> storeID_;
  std::shared_ptr<KeyRing> ring_;
  bool mayBePlain_ = false;
  std::vector<std::string> losses_;
  std::unique_ptr<LogIndex> log_;
  bool isCatalogWhole_ = false;
  std::vector<Keyspace> keyspaces_;
};

}  // namespace todana
