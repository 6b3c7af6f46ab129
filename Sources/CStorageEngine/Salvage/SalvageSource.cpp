#include "SalvageSource.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <sys/stat.h>

#include "../Directory/StoreDirectory.h"
#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"
#include "../Keyspaces/Catalog.h"
#include "../Kyoto/HashFormat.h"
#include "../Kyoto/RowPack.h"
#include "RecordSieve.h"

namespace todana {

namespace {

constexpr int kHashAlignmentPower = 3;
constexpr int kTreeAlignmentPower = 8;
constexpr int kFreeBlockPoolPower = 10;

bool hasSuffix(const std::string &name, std::string_view suffix) {
  return name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// Returns the number of a data file named `NNNN-NAME.kch` or `.kct`; 0 if it is not the name of a data file.
uint32_t fileNumberOf(const std::string &name) {
  return hasSuffix(name, ".kch") || hasSuffix(name, ".kct") ? fileNumberIn(name).value_or(0) : 0;
}

std::string visibleName(const std::string &fileName) {
  const size_t start = fileName.find('-') + 1;  // in an encrypted store the name is only the number
  return fileName.substr(start, fileName.size() - start - 4);
}

}  // namespace

SalvageSource::SalvageSource(const std::string &path, const tds_secret *secret)
    : path_(path), disk_([&] {
        struct stat status;
        if (::stat(path.c_str(), &status) != 0) throw Failure(TDN_NOT_FOUND, "there is no store at the path", path);
        if (!S_ISDIR(status.st_mode)) throw Failure(TDN_NOT_A_STORE, "a store is a directory", path);
        return path;
      }()) {
  lock_ = DirectoryLock::acquire(path, DirectoryLock::Kind::shared, false, 0, "");
  readSuperblock();
  readKeys(secret);
  readLogs();
  readCatalog();
  listFiles();
  noteMissingFiles();
  if (!storeID_ && keyspaces_.empty()) {
    throw Failure(TDN_NOT_A_STORE, "the directory contains other files than a store", path);
  }
}

void SalvageSource::readSuperblock() {
  try {
    const StoreIdentity identity = StoreDirectory::readSuperblock(disk_);
    storeID_.emplace();
    std::copy(identity.storeID, identity.storeID + 16, storeID_->begin());
  } catch (const Failure &failure) {
    // Other versions have other record formats.
    if (failure.code == TDN_NEWER_FORMAT || failure.code == TDN_OLDER_FORMAT) throw;
    losses_.push_back(
      "The superblock cannot be read. Only records on pages with correct checksums were saved.");
  }
}

void SalvageSource::readKeys(const tds_secret *secret) {
  if (!StoreKeys::exist(disk_)) {
    if (!secret) return;
    throw Failure(
      TDN_NOT_ENCRYPTED, "the store has no file of keys: it is not encrypted, or its records cannot be read");
  }
  if (!secret) throw Failure(TDN_SECRET_REQUIRED, "the store is encrypted: a passphrase or key is needed");
  const std::unique_ptr<StoreKeys> keys = StoreKeys::open(disk_, storeID_, secretOf(*secret), false);
  ring_ = keys->ring();
  mayBePlain_ = keys->migration() != StoreKeys::Migration::none;
  if (mayBePlain_) {
    losses_.push_back(
      "Encrypting or decrypting the store was interrupted. Unencrypted records were saved, too: an attacker may have "
      "written them.");
  }
  // The file of keys has the store's id, too.
  storeID_ = ring_->storeID();
}

// MARK: Logs

void SalvageSource::readLogs() {
  std::vector<std::pair<const char *, LogHeader>> logs;
  for (const char *name : {logName(1), logName(2)}) {
    try {
      if (std::optional<LogHeader> header = LogIndex::readHeader(disk_, name)) logs.emplace_back(name, *header);
    } catch (const Failure &failure) {
      losses_.push_back(std::string("The log ") + name + " cannot be read: " + failure.message +
                        ". Commits that are in no other file are lost.");
    }
  }
  std::sort(logs.begin(), logs.end(), [](const auto &left, const auto &right) {
    return left.second.generation < right.second.generation;
  });
  // As in recovery, ignore an older log that does not lead up to the newer one.
  if (logs.size() == 2 && logs[0].second.generation + 1 != logs[1].second.generation) logs.erase(logs.begin());
  // Commits that were written back to the main files already can be applied again in order without changing the result.
  log_ = std::make_unique<LogIndex>(true);
  for (const auto &[name, header] : logs) addLog(name, header);
  try {
    log_->sort();
  } catch (const Failure &failure) {
    losses_.push_back("The log lacks pages of " + failure.file + ".");
  }
}

void SalvageSource::addLog(const char *name, const LogHeader &header) {
  try {
    // Read the whole log first. The index reads it through a mapping, in which a read error of the device ends the
    // process.
    std::vector<char> buffer(1 << 20);
    std::unique_ptr<DiskFile> file = disk_.open(name, Disk::Mode::read);
    for (int64_t offset = 0; file->read(offset, buffer.data(), buffer.size()) == buffer.size();) {
      offset += static_cast<int64_t>(buffer.size());
    }
    if (log_->lastCommit != 0 && header.firstCommit > log_->lastCommit + 1) {
      losses_.push_back("Commits " + std::to_string(log_->lastCommit + 1) + " to " +
                        std::to_string(header.firstCommit - 1) + " are missing.");
    }
    log_->add(disk_, name, header, INT64_MAX);
  } catch (const Failure &failure) {
    losses_.push_back(std::string("The log ") + name + " is damaged after commit " +
                      std::to_string(log_->lastCommit) + ": later commits that are in no other file are lost.");
  }
}

// MARK: Keyspaces

void SalvageSource::readCatalog() {
  std::unique_ptr<SalvagedFile> file = open(Catalog::kFileNumber, Catalog::kFileName);
  if (file->size() == 0) return;
  Keyspace catalog;
  catalog.fileNumber = Catalog::kFileNumber;
  catalog.fileName = Catalog::kFileName;
  describe(catalog);
  Catalog entries(ring_);
  std::set<uint32_t> ids;
  uint64_t found = 0;
  auto accept = [&](const RecordSieve::Record &record) {
    uint64_t id;
    const bool isSound = file->isSound(record.offset, record.size);
    if (!RowKey::parse(record.key.data(), record.key.size(), &id) || id > UINT32_MAX) return false;
    if (id == Catalog::kKeyspace) {
      found += isSound;
      return isSound;
    }
    entries.setSealed(ring_ && !(mayBePlain_ && Catalog::isPlain(record.value)));
    std::optional<Catalog::Entry> entry;
    try {
      entry = entries.parse(static_cast<uint32_t>(id), record.value);
    } catch (const Failure &failure) {
      // A damaged entry may seem to be sealed under a key that never existed.
      if (failure.code != TDN_UNKNOWN_EPOCH) throw;
    }
    if (!entry) return false;
    Keyspace keyspace;
    keyspace.fileNumber = entry->fileNumber;
    keyspace.fileName = Catalog::fileName(entry->fileNumber, entry->kind, ring_ ? std::string() : entry->name);
    if (mayBePlain_ && !disk_.open(keyspace.fileName, Disk::Mode::read)) {
      keyspace.fileName = Catalog::fileName(entry->fileNumber, entry->kind, entry->name);
    }
    describe(keyspace);
    // An entry is accepted if its page is intact, or if its file confirms the id.
    if (!isSound && keyspace.id != entry->id) return false;
    keyspace.id = entry->id;
    keyspace.kind = entry->kind;
    keyspace.name = entry->name;
    keyspace.isNameKnown = true;
    found++;
    if (ids.insert(entry->id).second) keyspaces_.push_back(std::move(keyspace));
    return true;
  };
  RecordSieve sieve(*file, kHashAlignmentPower, catalog.recordStart);
  auto mayBeEntry = [](std::string_view key, std::string_view, uint64_t valueLength) {
    return key.size() <= 5 && valueLength <= 6 + UINT16_MAX + Sealer::kLargestEnvelope;
  };
  sieve.run(mayBeEntry, accept, [](const RecordSieve::Record &) {}, [](int64_t) {});
  isCatalogWhole_ = file->isSound(0, kHashHeaderSize) && catalog.recordCount == found;
}

// Adds the files that a damaged catalog does not list.
void SalvageSource::listFiles() {
  if (!isCatalogWhole_) {
    // Newest files first. Files without a log or checksums come last: they may be unfinished building files.
    std::map<std::pair<bool, uint32_t>, std::string, std::greater<>> names;
    const std::vector<std::string> listed = disk_.list();
    for (const std::string &name : listed) {
      const bool hasSums = std::find(listed.begin(), listed.end(), PageSums::nameFor(name)) != listed.end();
      if (const uint32_t number = fileNumberOf(name); number > Catalog::kFileNumber) {
        names[{hasSums || log_->files.count(number) > 0, number}] = name;
      }
    }
    for (const auto &[number, file] : log_->files) {
      if (number > Catalog::kFileNumber && fileNumberOf(file.name) == number) names[{true, number}] = file.name;
    }
    if (!names.empty()) {
      losses_.push_back(
        "The catalog is damaged, or cannot be checked. Names of classes may be taken from the names of their files.");
    }
    std::set<uint32_t> ids, numbers;
    for (const Keyspace &keyspace : keyspaces_) {
      ids.insert(keyspace.id);
      numbers.insert(keyspace.fileNumber);
    }
    for (const auto &[key, name] : names) {
      const uint32_t number = key.second;
      auto logged = log_->files.find(number);
      const bool isDropped = logged != log_->files.end() && logged->second.isDropped;
      if (isDropped || numbers.count(number)) continue;
      Keyspace keyspace;
      keyspace.fileNumber = number;
      keyspace.fileName = name;
      keyspace.name = visibleName(name);
      describe(keyspace);
      // An older file of a keyspace was replaced by the newer one.
      if (keyspace.id != 0 && !ids.insert(keyspace.id).second) continue;
      if (keyspace.kind == 0 && hasSuffix(name, ".kct")) keyspace.kind = TDN_KEYSPACE_TREE;
      keyspaces_.push_back(std::move(keyspace));
    }
  }
  std::sort(keyspaces_.begin(), keyspaces_.end(), [](const Keyspace &left, const Keyspace &right) {
    // Keyspaces without an id come last, when all used ids are known.
    return left.id - 1 < right.id - 1;
  });
}

// Reports files that are missing or cut short. Without a header the number of lost records is unknown, so no other
// report would mention them.
void SalvageSource::noteMissingFiles() {
  for (const Keyspace &keyspace : keyspaces_) {
    if (open(keyspace)->size() >= kHashHeaderSize) continue;
    losses_.push_back("The file " + keyspace.fileName + " is missing or truncated: its records are lost.");
  }
}

// Reads the header of the keyspace's file, if it is credible.
void SalvageSource::describe(Keyspace &keyspace) {
  std::unique_ptr<SalvagedFile> file = open(keyspace.fileNumber, keyspace.fileName);
  // If there is no header, the search includes the buckets; this start is right for hash files and trees.
  keyspace.recordStart = recordStartFor(bucketStartFor(kFreeBlockPoolPower), 0, kTreeAlignmentPower);
  if (file->size() < kHashHeaderSize) return;
  const bool isSound = file->isSound(0, kHashHeaderSize);
  const char *header = file->view(0, kHashHeaderSize);
  if (std::memcmp(header, "KC\n\0", 4) != 0) return;
  const bool isTree = static_cast<uint8_t>(header[kHeaderType]) == kTreeFileType;
  const uint64_t nextRow = load64(header + kHeaderNextRow), bucketCount = readBigEndian64(header + kHeaderBucketCount);
  keyspace.id = load32(header + kHeaderKeyspace);
  keyspace.kind = isTree ? TDN_KEYSPACE_TREE : nextRow > 0 ? TDN_KEYSPACE_ROWS : TDN_KEYSPACE_KEYS;
  if (bucketCount <= static_cast<uint64_t>(file->size()) / kAddressSize) {
    keyspace.recordStart = recordStartFor(
      bucketStartFor(kFreeBlockPoolPower), static_cast<int64_t>(bucketCount),
      isTree ? kTreeAlignmentPower : kHashAlignmentPower);
  }
  if (!isSound) return;
  keyspace.nextRow = std::max<uint64_t>(nextRow, 1);
  uint64_t surplus = 0;
  std::memcpy(&surplus, header + kPackedOffset + 1, kPackedSize - 1);
  if (!isTree) keyspace.recordCount = readBigEndian64(header + kHeaderCount) + surplus;
}

std::unique_ptr<SalvagedFile> SalvageSource::open(const Keyspace &keyspace) {
  return open(keyspace.fileNumber, keyspace.fileName);
}

std::unique_ptr<SalvagedFile> SalvageSource::open(uint32_t number, const std::string &name) {
  auto logged = log_->files.find(number);
  return std::make_unique<SalvagedFile>(disk_, number, name, logged == log_->files.end() ? nullptr : &logged->second);
}

}  // namespace todana
