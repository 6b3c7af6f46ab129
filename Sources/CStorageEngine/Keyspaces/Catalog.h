// The list of a cabinet's keyspaces and their data files. It is a hash file of the group itself, so it changes in the
// same commit as the files (docs/formats/cabinet-files.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../../CSealing/Sealer.h"
#include "../Kyoto/HashWriter.h"
#include "../Pages/FileGroup.h"

namespace todana {

// The open catalog. CommitState owns it; Session loads it; Commit stores entries in it. SalvageSource parses entries
// with one of its own.
//
// One thread at a time: the opening thread, then the committing thread inside `apply`. Static functions: any thread.
class Catalog {
 public:
  static constexpr uint32_t kFileNumber = 1;
  static constexpr uint32_t kKeyspace = 0;  // the catalog belongs to no keyspace
  static constexpr const char *kFileName = "0001-catalog.kch";

  struct Entry {
    uint32_t id;
    int32_t kind;
    uint32_t fileNumber;
    std::string name;
  };

  explicit Catalog(const std::shared_ptr<const KeyRing> &ring = nullptr) { setKeys(ring); }
  void setKeys(const std::shared_ptr<const KeyRing> &ring);
  // Sets whether entries are sealed. Entries of a store with keys are sealed, except for a moment at the start of an
  // encryption and at the end of a decryption.
  void setSealed(bool isSealed) { isSealed_ = isSealed; }

  // Returns the name of a data file: its number and, for human readers, the keyspace's name unless it is empty.
  static std::string fileName(uint32_t number, int32_t kind, const std::string &keyspaceName);

  // Tests whether the value of an entry begins as in a plain store.
  static bool isPlain(std::string_view value);

  // Parses the value of an entry. Returns nothing if it is invalid.
  std::optional<Entry> parse(uint32_t id, std::string_view value);

  // Reads the whole catalog, if it exists.
  void load(FileGroup &group, const std::function<void(Entry)> &visit);

  uint32_t nextKeyspace() const { return nextKeyspace_; }
  uint32_t nextFileNumber() const { return nextFileNumber_; }

  // Stores entries, inside `apply`. Creates the catalog if there is none. An entry without a file is removed.
  void store(
    FileGroup &group, HashWriter &writer, const std::vector<Entry> &entries, uint32_t nextKeyspace,
    uint32_t nextFileNumber);
  // Stores all entries, inside `apply`, and removes all others. `isSealed`: whether entries are sealed from now on.
  void rewrite(
    FileGroup &group, HashWriter &writer, const std::vector<Entry> &entries, uint32_t nextKeyspace,
    uint32_t nextFileNumber, bool isSealed);
  // Discards the undo state of the previous commit. Called at the start of each commit.
  void settle() {
    isNew_ = false;
    wasSealed_ = isSealed_;
  }
  // Undoes the changes of a commit that was rolled back.
  void forget();
  // Stores the pool of free blocks. Called inside `apply` at the end of a session.
  void storePool(HashWriter &writer);

 private:
  std::string sealed(uint64_t id, std::string value);
  std::optional<std::string> opened(uint64_t id, std::string_view value);

  void eraseUnused();

  std::unique_ptr<Sealer> sealer_;  // null in a plain store
  bool isSealed_ = false;
  bool wasSealed_ = false;  // restored by a rollback
  std::shared_ptr<const HashFile> file_;
  bool isNew_ = false;  // created by the commit that is being applied
  FreeBlockPool pool_;
  uint32_t nextKeyspace_ = 1;
  uint32_t nextFileNumber_ = kFileNumber + 1;
};

}  // namespace todana
