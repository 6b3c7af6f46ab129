#include "Catalog.h"

#include <cstdio>
#include <set>

#include "../Directory/StoreKeys.h"
#include "../Kyoto/RowPack.h"
#include "../include/StorageEngineKeyspaces.h"

namespace todana {

namespace {

// Keys are keyspace ids; 0 is used for values that concern no keyspace.
constexpr uint64_t kStateKey = 0;
constexpr char kEntryVersion = 1;
constexpr size_t kEntryHeaderSize = 1 + 1 + 4;  // version, kind, file number
constexpr size_t kVisibleNameLimit = 64;

void put(const HashFile &file, HashWriter &writer, uint64_t id, const std::string &value) {
  RowKey key(id);
  HashFile::Place place = file.place(key.bytes, key.length);
  HashBlock record;
  file.find(key.bytes, key.length, place, record);
  writer.put(key.bytes, key.length, place, value.data(), value.size());
}

void remove(const HashFile &file, HashWriter &writer, uint64_t id) {
  RowKey key(id);
  HashFile::Place place = file.place(key.bytes, key.length);
  HashBlock record;
  if (!file.find(key.bytes, key.length, place, record)) return;
  file.checkRemoval(record);
  writer.remove(key.bytes, key.length, place);
}

uint32_t readNumber(const char *bytes) {
  uint32_t number;
  std::memcpy(&number, bytes, 4);
  return number;
}

// Tests whether a value is sealed. Plain values begin with their version, except for the next file number.
bool isSealed(std::string_view value) { return value.size() > 4 && static_cast<uint8_t>(value[0]) == kSealedFormat; }

// An entry is bound to the id of its keyspace, and to nothing else.
SealedPlace place(uint64_t id) { return {SealedKind::catalog, static_cast<uint32_t>(id), {nullptr, 0}}; }

}  // namespace

void Catalog::setKeys(const std::shared_ptr<const KeyRing> &ring) {
  sealer_ = ring ? std::make_unique<Sealer>(ring) : nullptr;
}

std::string Catalog::fileName(uint32_t number, int32_t kind, const std::string &keyspaceName) {
  char prefix[16];
  std::snprintf(prefix, sizeof(prefix), keyspaceName.empty() ? "%04u" : "%04u-", number);
  std::string name = prefix;
  for (char character : keyspaceName.substr(0, kVisibleNameLimit)) {
    bool isPlain = (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') ||
                   (character >= '0' && character <= '9') || character == '.' || character == '_' || character == '-';
    name += isPlain ? character : '_';
  }
  return name + (kind == TDN_KEYSPACE_TREE ? ".kct" : ".kch");
}

std::string Catalog::sealed(uint64_t id, std::string value) {
  if (!isSealed_) return value;
  const std::vector<uint8_t> bytes = sealer_->seal(place(id), {value.data(), value.size()});
  return std::string(bytes.begin(), bytes.end());
}

// Opens a value. Returns nothing if it is damaged, belongs to another entry, or is plain although entries are sealed.
std::optional<std::string> Catalog::opened(uint64_t id, std::string_view value) {
  if (!isSealed_) return std::string(value);
  std::vector<uint8_t> output(value.size());
  const Sealer::Opened opened = sealer_->open(place(id), {value.data(), value.size()}, output.data());
  if (opened.outcome == Sealer::Outcome::unknownEpoch) {
    throw Failure(TDN_UNKNOWN_EPOCH, "the catalog is sealed under a key that the store's file of keys does not have");
  }
  if (opened.outcome != Sealer::Outcome::opened) return std::nullopt;
  return std::string(reinterpret_cast<const char *>(output.data()) + opened.offset, opened.count);
}

bool Catalog::isPlain(std::string_view value) { return !isSealed(value); }

std::optional<Catalog::Entry> Catalog::parse(uint32_t id, std::string_view stored) {
  const std::optional<std::string> plain = opened(id, stored);
  if (!plain) return std::nullopt;
  const std::string_view value = *plain;
  if (value.size() <= kEntryHeaderSize || value[0] != kEntryVersion || value[1] < TDN_KEYSPACE_ROWS ||
      value[1] > TDN_KEYSPACE_TREE) {
    return std::nullopt;
  }
  return Entry{id, value[1], readNumber(value.data() + 2), std::string(value.substr(kEntryHeaderSize))};
}

void Catalog::load(FileGroup &group, const std::function<void(Entry)> &visit) {
  if (group.commitNumber() == 0) return;  // the first commit creates the catalog
  std::shared_ptr<DataFile> data = group.openFile(kFileNumber, kFileName);
  data->repairUpTo(kLargestFile);
  FileGroup::ReadLock lock(group);
  file_ = std::make_shared<const HashFile>(std::move(data), kKeyspace);
  if (file_->nextRow() > UINT32_MAX) file_->damaged("the number of the next keyspace is invalid", 0);
  nextKeyspace_ = static_cast<uint32_t>(std::max<uint64_t>(file_->nextRow(), 1));
  // Two keyspaces with the same id or file would be confused.
  std::set<uint64_t> ids;
  std::set<uint32_t> fileNumbers{kFileNumber};
  HashBlock block;
  for (int64_t offset = file_->recordStart(); offset < file_->end(); offset += block.size) {
    file_->readBlock(offset, block);
    if (block.isFree) continue;
    file_->verifyKey(block);
    file_->verifyValue(block);
    uint64_t id;
    const std::string_view value(block.value, block.valueLength);
    if (!isSealed_ && isSealed(value)) throw missingKeys();
    if (!RowKey::parse(block.key, block.keyLength, &id) || id >= nextKeyspace_ ||
        !ids.insert(id).second) {
      file_->damaged("an entry of the catalog is damaged", offset);
    }
    if (id == kStateKey) {
      const std::optional<std::string> number = opened(id, value);
      if (!number || number->size() != 4) file_->damaged("an entry of the catalog is damaged", offset);
      nextFileNumber_ = readNumber(number->data());
      continue;
    }
    std::optional<Entry> entry = parse(static_cast<uint32_t>(id), value);
    if (!entry || !fileNumbers.insert(entry->fileNumber).second) {
      file_->damaged("an entry of the catalog is damaged", offset);
    }
    visit(std::move(*entry));
  }
  if (*fileNumbers.begin() < kFileNumber || *fileNumbers.rbegin() >= nextFileNumber_) {
    file_->damaged("the catalog names a file that was never created", 0);
  }
}

void Catalog::store(
  FileGroup &group, HashWriter &writer, const std::vector<Entry> &entries, uint32_t nextKeyspace,
  uint32_t nextFileNumber) {
  if (!file_) {
    file_ = HashFile::create(group.createFile(kFileNumber, kFileName), kKeyspace, HashFile::Shape());
    isNew_ = true;
  }
  writer.begin(*file_, pool_);
  for (const Entry &entry : entries) {
    if (entry.fileNumber == 0) {
      remove(*file_, writer, entry.id);
      continue;
    }
    std::string value{kEntryVersion, static_cast<char>(entry.kind)};
    value.append(reinterpret_cast<const char *>(&entry.fileNumber), 4);
    put(*file_, writer, entry.id, sealed(entry.id, value + entry.name));
  }
  const std::string number(reinterpret_cast<const char *>(&nextFileNumber), 4);
  put(*file_, writer, kStateKey, sealed(kStateKey, number));
  writer.end(nextKeyspace);
}

void Catalog::rewrite(
  FileGroup &group, HashWriter &writer, const std::vector<Entry> &entries, uint32_t nextKeyspace,
  uint32_t nextFileNumber, bool isSealed) {
  isSealed_ = isSealed;
  store(group, writer, entries, nextKeyspace, nextFileNumber);
  eraseUnused();
}

// Overwrites the remains of old entries in free blocks and in the padding of records.
void Catalog::eraseUnused() {
  const std::string zeros(64 << 10, '\0');
  HashBlock block;
  for (int64_t offset = file_->recordStart(); offset < file_->end(); offset += block.size) {
    file_->readBlock(offset, block);
    int64_t start = offset + kFreeBlockHeaderSize;
    if (!block.isFree) {
      file_->verifyValue(block);
      // Keep the first byte of the padding, a magic number.
      start = file_->offset(block.value) + static_cast<int64_t>(block.valueLength) + 1;
    }
    for (const int64_t end = offset + block.size; start < end; start += static_cast<int64_t>(zeros.size())) {
      file_->file()->write(start, zeros.data(), std::min(zeros.size(), static_cast<size_t>(end - start)));
    }
  }
}

void Catalog::forget() {
  pool_.forget();
  isSealed_ = wasSealed_;
  if (isNew_) file_ = nullptr;
}

void Catalog::storePool(HashWriter &writer) {
  if (file_) writer.storePool(*file_, pool_);
}

}  // namespace todana
