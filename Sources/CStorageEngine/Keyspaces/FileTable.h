// The keyspaces of an open cabinet, and their open data files.
//
// Files open at their first use; beyond a limit, the least recently used one is released. Its Keyspace keeps the facts
// that commits need, and a caller that holds the file may go on using it.
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

// One Keyspace for each id, whose address stays valid until the table is destroyed. Session owns the table; Batch,
// Commit, KeyspaceLoader, Rebuild and KeyMigration use it.
//
// Any thread: its mutex guards the lists. Functions marked `Inside apply` belong to the committing thread.
class FileTable {
 public:
  FileTable(FileGroup &group, size_t openLimit) : group_(group), openLimit_(openLimit) {}

  // Sets the store's id, which records are checked by. Without it, damage of more than one bit to a page of a file
  // opened later hides its records.
  void setStoreID(const StoreID &storeID);
  // `sealers`: of a store that has keys. New keyspaces belong to this generation of them; 0: they are plain.
  void setKeys(std::shared_ptr<SealerPool> sealers, uint32_t keyGeneration);
  uint32_t newKeyGeneration();
  void setNewGeneration(uint32_t keyGeneration);

  // -- Keyspaces
  void add(const Catalog::Entry &entry);
  void setNumbers(uint32_t nextKeyspace, uint32_t nextFileNumber);
  // The files were left by a process that did not close them.
  void noteLostSpace();

  // Ids that were handed out and are in no file yet: they must not be handed out again after reopening.
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
  // Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspace(uint32_t id);
  // From now on single wrong bits of its records are repaired, too, where any are: they lead to others.
  void repairRecords(uint32_t id);
  // Returns the keyspace with this name, a new one if there is none.
  Keyspace &keyspace(int32_t kind, const std::string &name);
  // Adds a keyspace with an id that none has had since the opening. Throws Failure(TDN_INVALID).
  void addNew(uint32_t id, int32_t kind, const std::string &name);
  std::vector<Keyspace *> all();
  // Returns a keyspace that may have been dropped since the opening, for snapshots. Throws Failure(TDN_NO_KEYSPACE).
  Keyspace &keyspaceEver(uint32_t id);
  // Inside `apply`: drops the keyspace.
  void remove(Keyspace &keyspace);
  void undoRemove(Keyspace &keyspace);

  // -- Keyspaces that are loaded aside, and not among the others
  // Makes one. Its name may be in use until it is adopted.
  Keyspace &addLoading(int32_t kind, const std::string &name);
  void setLoader(Keyspace &keyspace, std::shared_ptr<KeyspaceLoader> loader);
  bool isLoading(uint32_t id);
  // Both throw Failure(TDN_NO_KEYSPACE).
  Keyspace &loading(uint32_t id);
  std::shared_ptr<KeyspaceLoader> loader(uint32_t id);
  // Gives up the loading, if the keyspace was not adopted; otherwise only releases its loader.
  void endLoading(uint32_t id);
  void endAllLoading();
  // Inside `apply`: it is one of the others now. Throws Failure(TDN_INVALID) if its name is taken.
  void addLoaded(Keyspace &keyspace);
  void undoAddLoaded(Keyspace &keyspace);

  // Returns a number that no file ever had.
  uint32_t takeFileNumber() { return nextFileNumber_++; }
  uint32_t nextKeyspace();
  uint32_t nextFileNumber() const { return nextFileNumber_; }
  // In an encrypted store files are named by their numbers alone.
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

  // -- Files Returns the keyspace's file, and opens it if necessary; null if there is none. For commits, and for use in
  // `read`. `isKept` false: for one use only.
  std::shared_ptr<const HashFile> file(Keyspace &keyspace, bool isKept = true);

  // Calls `body` with the keyspace's file (or null) under a read lock.
  template <class Body>
  decltype(auto) read(Keyspace &keyspace, bool isKept, Body body) {
    if (letGoCount_ >= kLetGoLimit) closeIdleFiles();
    for (;;) {
      try {
        std::shared_ptr<const HashFile> current = file(keyspace, isKept);
        FileGroup::ReadLock lock(group_);
        // A commit may have replaced the file in between.
        if (keyspace.fileNumber == (current ? current->number() : 0)) return body(current);
      } catch (Failure &failure) {
        failure.keyspace = keyspace.id;
        throw;
      }
    }
  }

  // Inside `apply`, or when it is undone: the keyspace lives in another file now.
  void setFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, uint32_t number, bool isSealed);

  uint32_t openCount();

 private:
  // Files are released one by one; the group searches for unused ones only after this many.
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
    std::unique_ptr<Keyspace> keyspace;  // null once it was adopted
    std::shared_ptr<KeyspaceLoader> loader;
  };
  std::map<uint32_t, Loading> loading_ TDN_GUARDED_BY(mutex_);
  // Dropped, or never adopted. Some object may still point to them.
  std::map<uint32_t, std::unique_ptr<Keyspace>> dropped_ TDN_GUARDED_BY(mutex_);
  uint32_t nextKeyspace_ TDN_GUARDED_BY(mutex_) = 1;
  std::atomic<uint32_t> nextFileNumber_{Catalog::kFileNumber + 1};
  std::list<Keyspace *> openKeyspaces_ TDN_GUARDED_BY(mutex_);  // the one used last in front
  std::atomic<uint32_t> letGoCount_{0};
};

}  // namespace todana
