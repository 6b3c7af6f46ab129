// The keyspaces of an open cabinet, and their open data files.
//
// Files are opened at their first use. Beyond a limit, the least recently used file is released. Its Keyspace keeps the
// facts that commits need, and a caller that holds the file may continue to use it.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "../Disk/Mutex.h"
#include "../Pages/FileGroup.h"
#include "Catalog.h"
#include "Keyspace.h"

namespace todana {

// The table of keyspaces. It has one Keyspace for each id, whose address stays valid until the table is destroyed.
// Session owns the table; Batch, Commit, KeyspaceLoader, Rebuilding and KeyMigration use it.
//
// Any thread: its mutex guards the lists. Functions marked `Inside apply` belong to the committing thread.
class FileTable {
 public:
  FileTable(FileGroup &group, size_t openLimit) : group_(group), openLimit_(openLimit) {}

  // Sets the store's id, with which records are checked. If a file is opened without it, the records on pages with more
  // than one wrong bit cannot be read.
  void setStoreID(const StoreID &storeID);
  // Sets the keys of a store. `sealers`: null in a plain store. `keyGeneration`: the generation of new keyspaces; 0 if
  // new keyspaces are plain.
  void setKeys(std::shared_ptr<SealerPool> sealers, uint32_t keyGeneration);
  uint32_t newKeyGeneration();
  void setNewGeneration(uint32_t keyGeneration);

  // -- Keyspaces
  void add(const Catalog::Entry &entry);
  void setNumbers(uint32_t nextKeyspace, uint32_t nextFileNumber);
  // Notes that a killed process left the files, so that their lists of free blocks may be lost.
  void noteLostSpace();

  // The ids that were reserved and are in no file yet. They must not be reserved again after reopening.
  struct ReservedIDs {
    struct Entry {
      uint32_t id;
      int32_t kind;
      std::string name;
      uint64_t nextRow;
    };
    std::vector<Entry> keyspaces;
    uint32_t nextKeyspace = 1;
  };
  ReservedIDs reservedIDs();
  void restore(const ReservedIDs &reservedIDs);
  // Returns the keyspace with this id. Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspace(uint32_t id);
  // Extends bit-flip repair to the records of a rows keyspace, if repair is enabled. Use it if the records lead to
  // others.
  void repairRecords(uint32_t id);
  // Returns the keyspace with this name. Adds a new one if there is none.
  Keyspace &keyspace(int32_t kind, const std::string &name);
  // Adds a keyspace with an id that was not used since the opening. Throws Failure(TDN_INVALID).
  void addNew(uint32_t id, int32_t kind, const std::string &name);
  std::vector<Keyspace *> all();
  // Returns a keyspace for a snapshot, even if it was dropped since the opening. Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspaceEver(uint32_t id);
  // Inside `apply`: drops the keyspace.
  void remove(Keyspace &keyspace);
  void undoRemove(Keyspace &keyspace);

  // -- Keyspaces that are being loaded, and not among the others
  // Adds a keyspace to load. Until its adoption, another keyspace may have the same name.
  Keyspace &addLoading(int32_t kind, const std::string &name);
  void setLoader(Keyspace &keyspace, std::shared_ptr<KeyspaceLoader> loader);
  bool isLoading(uint32_t id);
  // Return a keyspace that is being loaded, and its loader. Throw Failure(TDN_NO_KEYSPACE).
  Keyspace &loading(uint32_t id);
  std::shared_ptr<KeyspaceLoader> loader(uint32_t id);
  // Ends the loading. Gives up the keyspace if it was not adopted; otherwise only releases the loader.
  void endLoading(uint32_t id);
  void endAllLoading();
  // Inside `apply`: adds an adopted keyspace to the others. Throws Failure(TDN_INVALID) if its name is in use.
  void addLoaded(Keyspace &keyspace);
  void undoAddLoaded(Keyspace &keyspace);

  // Returns a number that no file has had.
  uint32_t takeFileNumber() { return nextFileNumber_++; }
  uint32_t nextKeyspace();
  uint32_t nextFileNumber() const { return nextFileNumber_; }
  // Returns the name of a data file. In an encrypted store it contains only the number.
  static std::string fileName(const Keyspace &keyspace, uint32_t number, bool isSealed) {
    return Catalog::fileName(number, keyspace.kind, isSealed ? std::string() : keyspace.name);
  }
  static std::string fileName(const Keyspace &keyspace, uint32_t number) {
    return fileName(keyspace, number, keyspace.isSealed);
  }
  // Returns the sealers of a sealed tree's nodes; null for others.
  std::shared_ptr<SealerPool> sealers(const Keyspace &keyspace, bool isSealed);
  // Returns the check of the keyspace's records; null for trees, whose entries have no checks.
  std::shared_ptr<const RecordCheck> recordCheck(const Keyspace &keyspace);

  // -- Files
  // Returns the keyspace's file, opened if necessary; null if there is none. For commits, and for use in `read`.
  // `isKept` false: opens it for this use only.
  std::shared_ptr<const HashFile> file(Keyspace &keyspace, bool isKept = true);

  // Calls `body` with the keyspace's file (or null) under a read lock.
  template <class Body>
  decltype(auto) read(Keyspace &keyspace, bool isKept, Body body) {
    if (letGoCount_ >= kLetGoLimit) closeIdleFiles();
    for (;;) {
      try {
        std::shared_ptr<const HashFile> current = file(keyspace, isKept);
        FileGroup::ReadLock lock(group_);
        // A commit may have replaced the file since.
        if (keyspace.fileNumber == (current ? current->number() : 0)) return body(current);
      } catch (Failure &failure) {
        failure.keyspace = keyspace.id;
        throw;
      }
    }
  }

  // Inside `apply`, or when it is undone: sets another file of the keyspace.
  void setFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, uint32_t number, bool isSealed);

  uint32_t openCount();

 private:
  // The number of released files after which the group searches for unused ones.
  static constexpr uint32_t kLetGoLimit = 256;

  void closeIdleFiles();
  std::unique_ptr<Keyspace> newKeyspace(uint32_t id, int32_t kind, const std::string &name) TDN_REQUIRES(mutex_);
  Keyspace &make(uint32_t id, int32_t kind, const std::string &name) TDN_REQUIRES(mutex_);
  uint32_t takeID() TDN_REQUIRES(mutex_);
  void keep(Keyspace &keyspace, std::shared_ptr<const HashFile> file) TDN_REQUIRES(mutex_);
  void letGo(Keyspace &keyspace) TDN_REQUIRES(mutex_);

  FileGroup &group_;
  const size_t openLimit_;
  Mutex mutex_;
  std::shared_ptr<SealerPool> sealers_ TDN_GUARDED_BY(mutex_);  // null in a plain store
  std::optional<StoreID> storeID_ TDN_GUARDED_BY(mutex_);
  uint32_t newGeneration_ TDN_GUARDED_BY(mutex_) = 0;
  std::map<uint32_t, std::unique_ptr<Keyspace>> keyspaces_ TDN_GUARDED_BY(mutex_);
  std::map<std::pair<int32_t, std::string>, Keyspace *> byName_ TDN_GUARDED_BY(mutex_);
  struct Loading {
    std::unique_ptr<Keyspace> keyspace;  // null after the adoption
    std::shared_ptr<KeyspaceLoader> loader;
  };
  std::map<uint32_t, Loading> loading_ TDN_GUARDED_BY(mutex_);
  // Keyspaces that were dropped, or never adopted. Other objects may still refer to them.
  std::map<uint32_t, std::unique_ptr<Keyspace>> dropped_ TDN_GUARDED_BY(mutex_);
  uint32_t nextKeyspace_ TDN_GUARDED_BY(mutex_) = 1;
  std::atomic<uint32_t> nextFileNumber_{Catalog::kFileNumber + 1};
  std::list<Keyspace *> openKeyspaces_ TDN_GUARDED_BY(mutex_);  // the most recently used one first
  std::atomic<uint32_t> letGoCount_{0};
};

}  // namespace todana
