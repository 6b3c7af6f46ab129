#include "FileTable.h"

#include "EnvelopeCheck.h"

namespace todana {

void FileTable::add(const Catalog::Entry &entry) {
  MutexLock lock(mutex_);
  make(entry.id, entry.kind, entry.name).fileNumber = entry.fileNumber;
}

void FileTable::setKeys(std::shared_ptr<SealerPool> sealers, uint32_t generation) {
  MutexLock lock(mutex_);
  sealers_ = std::move(sealers);
  newGeneration_ = generation;
}

void FileTable::setStoreID(const StoreID &storeID) {
  MutexLock lock(mutex_);
  storeID_ = storeID;
}

std::shared_ptr<const RecordCheck> FileTable::recordCheck(const Structure &structure) {
  if (structure.isTree()) return nullptr;
  MutexLock lock(mutex_);
  if (!storeID_) return nullptr;
  return std::make_shared<EnvelopeCheck>(*storeID_, sealers_, structure);
}

uint32_t FileTable::newGeneration() {
  MutexLock lock(mutex_);
  return newGeneration_;
}

void FileTable::setNewGeneration(uint32_t generation) {
  MutexLock lock(mutex_);
  newGeneration_ = generation;
}

std::shared_ptr<SealerPool> FileTable::sealers(const Structure &structure, bool isSealed) {
  if (!isSealed || !structure.isTree()) return nullptr;
  MutexLock lock(mutex_);
  return sealers_;
}

// In both maps, or, where memory ends, in neither.
Structure &FileTable::make(uint32_t id, int32_t kind, const std::string &name) {
  auto structure = std::make_unique<Structure>(id, kind, name);
  Structure &made = *structure;
  made.contents.generation = newGeneration_;
  made.isSealed = newGeneration_ != 0;
  auto entry = byName_.insert_or_assign({kind, name}, &made).first;
  try {
    structures_[id] = std::move(structure);
  } catch (...) {
    byName_.erase(entry);
    throw;
  }
  return made;
}

void FileTable::setNumbers(uint32_t nextStructure, uint32_t nextFileNumber) {
  MutexLock lock(mutex_);
  nextStructure_ = nextStructure;
  nextFileNumber_ = nextFileNumber;
}

void FileTable::noteLostSpace() {
  MutexLock lock(mutex_);
  for (auto &[id, structure] : structures_) structure->mayHaveLostSpace = true;
}

FileTable::HandedOut FileTable::handedOut() {
  MutexLock lock(mutex_);
  HandedOut result;
  result.nextStructure = nextStructure_;
  for (const auto &[id, structure] : structures_) {
    result.structures.push_back({id, structure->kind, structure->name, structure->nextRow});
  }
  return result;
}

void FileTable::restore(const HandedOut &handedOut) {
  MutexLock lock(mutex_);
  nextStructure_ = std::max(nextStructure_, handedOut.nextStructure);
  for (const HandedOut::Entry &entry : handedOut.structures) {
    auto found = structures_.find(entry.id);
    Structure &structure = found == structures_.end() ? make(entry.id, entry.kind, entry.name) : *found->second;
    structure.nextRow = entry.nextRow;
  }
}

Structure &FileTable::structure(uint32_t id) {
  MutexLock lock(mutex_);
  auto found = structures_.find(id);
  if (found == structures_.end()) {
    Failure failure(TDN_NO_STRUCTURE, "there is no structure with this number in the store");
    failure.structure = id;
    throw failure;
  }
  return *found->second;
}

void FileTable::mendRecords(uint32_t id) {
  Structure &mended = structure(id);
  MutexLock lock(mutex_);
  mended.mendsRecords = true;
  if (mended.file) mended.file->file()->repairUpTo(kLargestFile);
}

Structure &FileTable::structure(int32_t kind, const std::string &name) {
  MutexLock lock(mutex_);
  auto found = byName_.find({kind, name});
  if (found != byName_.end()) return *found->second;
  if (nextStructure_ == UINT32_MAX) throw Failure(TDN_LIMIT, "there are no numbers for structures left");
  Structure &made = make(nextStructure_, kind, name);
  nextStructure_++;
  return made;
}

void FileTable::addNew(uint32_t id, int32_t kind, const std::string &name) {
  MutexLock lock(mutex_);
  if (id == 0 || id == UINT32_MAX || structures_.count(id)) {
    throw Failure(TDN_INVALID, "the number of the structure is in use, or none");
  }
  if (byName_.count({kind, name})) throw Failure(TDN_INVALID, "a structure of this name is there already");
  make(id, kind, name);
  nextStructure_ = std::max(nextStructure_, id + 1);
}

std::vector<Structure *> FileTable::all() {
  MutexLock lock(mutex_);
  std::vector<Structure *> all;
  for (auto &[id, structure] : structures_) all.push_back(structure.get());
  return all;
}

uint32_t FileTable::nextStructure() {
  MutexLock lock(mutex_);
  return nextStructure_;
}

std::shared_ptr<const HashFile> FileTable::file(Structure &structure, bool isKept) {
  for (;;) {
    uint32_t number;
    bool isSealed;
    {
      MutexLock lock(mutex_);
      if (structure.file) {
        openStructures_.splice(openStructures_.begin(), openStructures_, structure.use);
        return structure.file;
      }
      number = structure.fileNumber;
      isSealed = structure.isSealed;
    }
    if (number == 0) return nullptr;
    // Not under the mutex: opening takes the group's locks, and commits, which hold those, take the mutex.
    std::shared_ptr<const HashFile> file;
    try {
      std::shared_ptr<DataFile> data = group_.openFile(number, fileName(structure, number, isSealed));
      FileGroup::ReadLockUnlessApplying lock(group_);
      file = std::make_shared<const HashFile>(
        data, structure.id, structure.isTree() ? kTreeFileType : kHashFileType,
        sealers(structure, isSealed), recordCheck(structure));
      // Named buffers are few, and a program may need one to read the rest; a tree's nodes lead to each other.
      const bool isWhole = !structure.hasRows() || structure.mendsRecords;
      data->repairUpTo(isWhole ? kLargestFile : file->recordStart());
    } catch (const Failure &) {
      if (structure.fileNumber != number) continue;  // replaced meanwhile
      throw;
    }
    MutexLock lock(mutex_);
    if (structure.fileNumber != number) continue;
    if (structure.file) return structure.file;
    if (isKept) {
      keep(structure, file);
    } else {
      letGoCount_++;
    }
    return file;
  }
}

void FileTable::setFile(
  Structure &structure, std::shared_ptr<const HashFile> file, uint32_t number, bool isSealed) {
  MutexLock lock(mutex_);
  letGo(structure);
  structure.fileNumber = number;
  structure.isSealed = isSealed;
  if (file) keep(structure, std::move(file));
}

uint32_t FileTable::openCount() {
  MutexLock lock(mutex_);
  return static_cast<uint32_t>(openStructures_.size());
}

void FileTable::closeIdleFiles() {
  letGoCount_ = 0;
  group_.closeIdleFiles(false);
}

void FileTable::keep(Structure &structure, std::shared_ptr<const HashFile> file) {
  openStructures_.push_front(&structure);
  structure.use = openStructures_.begin();
  structure.file = std::move(file);
  while (openStructures_.size() > openLimit_) letGo(*openStructures_.back());
}

void FileTable::letGo(Structure &structure) {
  if (!structure.file) return;
  structure.file = nullptr;
  openStructures_.erase(structure.use);
  letGoCount_++;
}

}  // namespace todana
