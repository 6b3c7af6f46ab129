#include "FileTable.h"

#include "EnvelopeCheck.h"

namespace todana {

void FileTable::add(const Catalog::Entry &entry) {
  MutexLock lock(mutex_);
  make(entry.id, entry.kind, entry.name).fileNumber = entry.fileNumber;
}

void FileTable::setKeys(std::shared_ptr<SealerPool> sealers, uint32_t keyGeneration) {
  MutexLock lock(mutex_);
  sealers_ = std::move(sealers);
  newGeneration_ = keyGeneration;
}

void FileTable::setStoreID(const StoreID &storeID) {
  MutexLock lock(mutex_);
  storeID_ = storeID;
}

std::shared_ptr<const RecordCheck> FileTable::recordCheck(const Keyspace &keyspace) {
  if (keyspace.isTree()) return nullptr;
  MutexLock lock(mutex_);
  if (!storeID_) return nullptr;
  return std::make_shared<EnvelopeCheck>(*storeID_, sealers_, keyspace);
}

uint32_t FileTable::newKeyGeneration() {
  MutexLock lock(mutex_);
  return newGeneration_;
}

void FileTable::setNewGeneration(uint32_t keyGeneration) {
  MutexLock lock(mutex_);
  newGeneration_ = keyGeneration;
}

std::shared_ptr<SealerPool> FileTable::sealers(const Keyspace &keyspace, bool isSealed) {
  if (!isSealed || !keyspace.isTree()) return nullptr;
  MutexLock lock(mutex_);
  return sealers_;
}

std::unique_ptr<Keyspace> FileTable::newKeyspace(uint32_t id, int32_t kind, const std::string &name) {
  auto keyspace = std::make_unique<Keyspace>(id, kind, name);
  keyspace->contents.keyGeneration = newGeneration_;
  keyspace->isSealed = newGeneration_ != 0;
  return keyspace;
}

// Adds a keyspace to both maps, or to none if memory runs out.
Keyspace &FileTable::make(uint32_t id, int32_t kind, const std::string &name) {
  auto keyspace = newKeyspace(id, kind, name);
  Keyspace &made = *keyspace;
  auto entry = byName_.insert_or_assign({kind, name}, &made).first;
  try {
    keyspaces_[id] = std::move(keyspace);
  } catch (...) {
    byName_.erase(entry);
    throw;
  }
  return made;
}

void FileTable::setNumbers(uint32_t nextKeyspace, uint32_t nextFileNumber) {
  MutexLock lock(mutex_);
  nextKeyspace_ = nextKeyspace;
  nextFileNumber_ = nextFileNumber;
}

void FileTable::noteLostSpace() {
  MutexLock lock(mutex_);
  for (auto &[id, keyspace] : keyspaces_) keyspace->mayHaveLostSpace = true;
}

FileTable::ReservedIDs FileTable::reservedIDs() {
  MutexLock lock(mutex_);
  ReservedIDs result;
  result.nextKeyspace = nextKeyspace_;
  for (const auto &[id, keyspace] : keyspaces_) {
    result.keyspaces.push_back({id, keyspace->kind, keyspace->name, keyspace->nextRow});
  }
  return result;
}

void FileTable::restore(const ReservedIDs &reservedIDs) {
  MutexLock lock(mutex_);
  nextKeyspace_ = std::max(nextKeyspace_, reservedIDs.nextKeyspace);
  for (const ReservedIDs::Entry &entry : reservedIDs.keyspaces) {
    auto found = keyspaces_.find(entry.id);
    Keyspace &keyspace = found == keyspaces_.end() ? make(entry.id, entry.kind, entry.name) : *found->second;
    keyspace.nextRow = entry.nextRow;
  }
}

namespace {

Failure noKeyspace(uint32_t id) {
  Failure failure(TDN_NO_KEYSPACE, "there is no keyspace with this number in the store");
  failure.keyspace = id;
  return failure;
}

}  // namespace

Keyspace &FileTable::keyspace(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = keyspaces_.find(id);
  if (found == keyspaces_.end()) throw noKeyspace(id);
  return *found->second;
}

Keyspace &FileTable::keyspaceEver(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = keyspaces_.find(id);
  if (found != keyspaces_.end()) return *found->second;
  auto dropped = dropped_.find(id);
  if (dropped == dropped_.end()) throw noKeyspace(id);
  return *dropped->second;
}

void FileTable::remove(Keyspace &keyspace) {
  MutexLock lock(mutex_);
  auto found = keyspaces_.find(keyspace.id);
  dropped_[keyspace.id] = std::move(found->second);
  keyspaces_.erase(found);
  byName_.erase({keyspace.kind, keyspace.name});
  keyspace.isDropped = true;
}

void FileTable::undoRemove(Keyspace &keyspace) {
  MutexLock lock(mutex_);
  auto found = dropped_.find(keyspace.id);
  keyspaces_[keyspace.id] = std::move(found->second);
  dropped_.erase(found);
  byName_[{keyspace.kind, keyspace.name}] = &keyspace;
  keyspace.isDropped = false;
}

// MARK: Loading

Keyspace &FileTable::addLoading(int32_t kind, const std::string &name) {
  MutexLock lock(mutex_);
  const uint32_t id = takeID();
  Loading &loading = loading_[id];
  loading.keyspace = newKeyspace(id, kind, name);
  return *loading.keyspace;
}

void FileTable::setLoader(Keyspace &keyspace, std::shared_ptr<KeyspaceLoader> loader) {
  MutexLock lock(mutex_);
  loading_[keyspace.id].loader = std::move(loader);
}

bool FileTable::isLoading(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = loading_.find(id);
  return found != loading_.end() && found->second.keyspace;
}

Keyspace &FileTable::loading(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = loading_.find(id);
  if (found == loading_.end() || !found->second.keyspace) throw noKeyspace(id);
  return *found->second.keyspace;
}

std::shared_ptr<KeyspaceLoader> FileTable::loader(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = loading_.find(id);
  if (found == loading_.end() || !found->second.loader) throw noKeyspace(id);
  return found->second.loader;
}

void FileTable::endLoading(uint32_t id) {
  // Release the loader without the mutex, because the release removes a file.
  std::shared_ptr<KeyspaceLoader> loader;
  MutexLock lock(mutex_);
  auto found = loading_.find(id);
  if (found == loading_.end()) return;
  loader = std::move(found->second.loader);
  // Keep the keyspace, because a commit may be about to adopt it.
  if (found->second.keyspace) dropped_[id] = std::move(found->second.keyspace);
  loading_.erase(found);
}

void FileTable::endAllLoading() {
  std::vector<uint32_t> ids;
  {
    MutexLock lock(mutex_);
    for (const auto &[id, loading] : loading_) ids.push_back(id);
  }
  for (uint32_t id : ids) endLoading(id);
}

void FileTable::addLoaded(Keyspace &keyspace) {
  MutexLock lock(mutex_);
  auto found = loading_.find(keyspace.id);
  if (found == loading_.end() || !found->second.keyspace) throw noKeyspace(keyspace.id);
  if (byName_.count({keyspace.kind, keyspace.name})) {
    throw Failure(TDN_INVALID, "a keyspace of this name already exists");
  }
  byName_[{keyspace.kind, keyspace.name}] = &keyspace;
  keyspaces_[keyspace.id] = std::move(found->second.keyspace);
}

void FileTable::undoAddLoaded(Keyspace &keyspace) {
  MutexLock lock(mutex_);
  auto added = keyspaces_.find(keyspace.id);
  auto found = loading_.find(keyspace.id);
  byName_.erase({keyspace.kind, keyspace.name});
  (found == loading_.end() ? dropped_[keyspace.id] : found->second.keyspace) = std::move(added->second);
  keyspaces_.erase(added);
}

void FileTable::repairRecords(uint32_t id) {
  Keyspace &repaired = keyspace(id);
  MutexLock lock(mutex_);
  repaired.repairsRecords = true;
  if (repaired.file) repaired.file->file()->repairUpTo(kLargestFile);
}

Keyspace &FileTable::keyspace(int32_t kind, const std::string &name) {
  MutexLock lock(mutex_);
  auto found = byName_.find({kind, name});
  return found != byName_.end() ? *found->second : make(takeID(), kind, name);
}

uint32_t FileTable::takeID() {
  if (nextKeyspace_ == UINT32_MAX) throw Failure(TDN_LIMIT, "there are no numbers for keyspaces left");
  return nextKeyspace_++;
}

void FileTable::addNew(uint32_t id, int32_t kind, const std::string &name) {
  MutexLock lock(mutex_);
  if (id == 0 || id == UINT32_MAX || keyspaces_.count(id)) {
    throw Failure(TDN_INVALID, "the number of the keyspace is in use or invalid");
  }
  if (byName_.count({kind, name})) throw Failure(TDN_INVALID, "a keyspace of this name already exists");
  make(id, kind, name);
  nextKeyspace_ = std::max(nextKeyspace_, id + 1);
}

std::vector<Keyspace *> FileTable::all() {
  MutexLock lock(mutex_);
  std::vector<Keyspace *> all;
  for (auto &[id, keyspace] : keyspaces_) all.push_back(keyspace.get());
  return all;
}

uint32_t FileTable::nextKeyspace() {
  MutexLock lock(mutex_);
  return nextKeyspace_;
}

std::shared_ptr<const HashFile> FileTable::file(Keyspace &keyspace, bool isKept) {
  for (;;) {
    uint32_t number;
    bool isSealed;
    {
      MutexLock lock(mutex_);
      if (keyspace.file) {
        openKeyspaces_.splice(openKeyspaces_.begin(), openKeyspaces_, keyspace.use);
        return keyspace.file;
      }
      number = keyspace.fileNumber;
      isSealed = keyspace.isSealed;
    }
    if (number == 0) return nullptr;
    // The mutex must not be held: opening takes the group's locks, and commits take the mutex while they hold those.
    std::shared_ptr<const HashFile> file;
    try {
      std::shared_ptr<DataFile> data = group_.openFile(number, fileName(keyspace, number, isSealed));
      FileGroup::ReadLockUnlessApplying lock(group_);
      file = std::make_shared<const HashFile>(
        data, keyspace.id, keyspace.isTree() ? kTreeFileType : kHashFileType,
        sealers(keyspace, isSealed), recordCheck(keyspace));
      // Repair the whole file if its keyspace has names or is a tree. Named buffers are few, and may be needed to read
      // other records; a tree's nodes lead to each other.
      const bool isWhole = !keyspace.hasRows() || keyspace.repairsRecords;
      data->repairUpTo(isWhole ? kLargestFile : file->recordStart());
    } catch (const Failure &) {
      if (keyspace.fileNumber != number) continue;  // replaced concurrently
      throw;
    }
    MutexLock lock(mutex_);
    if (keyspace.fileNumber != number) continue;
    if (keyspace.file) return keyspace.file;
    if (isKept) {
      keep(keyspace, file);
    } else {
      letGoCount_++;
    }
    return file;
  }
}

void FileTable::setFile(
  Keyspace &keyspace, std::shared_ptr<const HashFile> file, uint32_t number, bool isSealed) {
  MutexLock lock(mutex_);
  letGo(keyspace);
  keyspace.fileNumber = number;
  keyspace.isSealed = isSealed;
  if (file) keep(keyspace, std::move(file));
}

uint32_t FileTable::openCount() {
  MutexLock lock(mutex_);
  return static_cast<uint32_t>(openKeyspaces_.size());
}

void FileTable::closeIdleFiles() {
  letGoCount_ = 0;
  group_.closeIdleFiles(false);
}

void FileTable::keep(Keyspace &keyspace, std::shared_ptr<const HashFile> file) {
  openKeyspaces_.push_front(&keyspace);
  keyspace.use = openKeyspaces_.begin();
  keyspace.file = std::move(file);
  while (openKeyspaces_.size() > openLimit_) letGo(*openKeyspaces_.back());
}

void FileTable::letGo(Keyspace &keyspace) {
  if (!keyspace.file) return;
  keyspace.file = nullptr;
  openKeyspaces_.erase(keyspace.use);
  letGoCount_++;
}

}  // namespace todana
