#include "StoreKeys.h"

#include <algorithm>
#include <chrono>

#include "../Disk/FileNames.h"

namespace todana {

namespace {

uint64_t nowMilliseconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

// A copy of the file of keys, of which everything is parsed that needs no secret.
struct Copy {
  bool exists = false;
  std::optional<KeyFile> file;
  std::optional<Failure> failure;
};

Copy readCopy(Disk &disk, const char *name) {
  Copy copy;
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  if (!file) return copy;
  copy.exists = true;
  const int64_t size = file->size();
  if (size < 0 || size > static_cast<int64_t>(KeyFile::kMostBytes)) {
    copy.failure = Failure(TDN_DAMAGED_KEYS, "the file of keys is damaged", name);
    return copy;
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  bytes.resize(file->read(0, bytes.data(), bytes.size()));
  try {
    copy.file = KeyFile::parse({bytes.data(), bytes.size()});
  } catch (const SealingError &error) {
    copy.failure = failureOf(error, name);
  }
  return copy;
}

DataKey markOf(StoreKeys::Migration migration) {
  return {KeyPurpose::migration, static_cast<uint32_t>(migration), SecretBytes::random(32)};
}

}  // namespace

Failure missingKeys() {
  return Failure(
    TDN_DAMAGED_KEYS, "the store is encrypted, and its file of keys is missing: import a copy of it", StoreKeys::kName);
}

Failure failureOf(const SealingError &error, const std::string &file) {
  const auto code = [&] {
    switch (error.code()) {
      case TDS_WRONG_SECRET: return TDN_WRONG_SECRET;
      case TDS_DAMAGED_SLOT: return TDN_DAMAGED_KEY_SLOT;
      case TDS_DAMAGED_KEYS: return TDN_DAMAGED_KEYS;
      case TDS_NEWER_FORMAT: return TDN_NEWER_FORMAT;
      case TDS_LIMIT: return TDN_LIMIT;
      case TDS_INVALID: return TDN_INVALID;
      case TDS_NO_MEMORY: return TDN_NO_MEMORY;
      default: return TDN_IO;
    }
  };
  return Failure(code(), error.what(), file);
}

Secret secretOf(const tds_secret &secret) {
  if (secret.kind < TDS_SECRET_PASSPHRASE || secret.kind > TDS_SECRET_RECOVERY_KEY) {
    throw Failure(TDN_INVALID, "unknown kind of secret");
  }
  return {static_cast<SecretKind>(secret.kind), {secret.bytes, secret.byte_count}};
}

bool StoreKeys::areMissing(Disk &disk) {
  if (exist(disk)) return false;
  const std::vector<std::string> names = disk.list();
  return std::any_of(names.begin(), names.end(), [](const std::string &name) {
    return fileNumberIn(name) && name.find('-') == std::string::npos;
  });
}

bool StoreKeys::exist(Disk &disk) {
  return disk.open(kName, Disk::Mode::read) != nullptr || disk.open(kCopyName, Disk::Mode::read) != nullptr;
}

void StoreKeys::markCopy(Disk &copy) {
  if (exist(copy)) copy.open(kCopyMark, Disk::Mode::create)->flush();
}

std::unique_ptr<StoreKeys> StoreKeys::create(
  Disk &disk, const StoreID &storeID, const Secret &secret, DataCipher cipher, const ScryptCost &cost,
  Migration migration) {
  try {
    SecretBytes master = SecretBytes::random(KeyFile::kMasterSize);
    const std::vector<DataKey> made = newKeyGeneration(1);
    KeyFile file(storeID, cipher);
    const uint32_t slot = file.addSlot(secret, master, cost, nowMilliseconds());
    for (const DataKey &key : made) file.addKey(key, master);
    if (migration != Migration::none) file.addKey(markOf(migration), master);
    std::unique_ptr<StoreKeys> keys(new StoreKeys(disk, std::move(file), std::move(master), true));
    keys->slotInUse_ = slot;
    keys->ring_ = std::make_shared<KeyRing>(storeID, cipher, made);
    keys->write();
    return keys;
  } catch (const SealingError &error) {
    throw failureOf(error, kName);
  }
}

std::unique_ptr<StoreKeys> StoreKeys::open(
  Disk &disk, const std::optional<StoreID> &storeID, const Secret &secret, bool mayWrite) {
  Copy copies[] = {readCopy(disk, kName), readCopy(disk, kCopyName)};
  // Try the newer copy first. A power failure during a change leaves two different copies.
  if (copies[1].file && (!copies[0].file || copies[1].file->sequence() > copies[0].file->sequence())) {
    std::swap(copies[0], copies[1]);
  }
  std::optional<Failure> failure;
  for (Copy &copy : copies) {
    if (!copy.file) {
      if (!failure && copy.failure) failure = copy.failure;
      continue;
    }
    try {
      if (storeID && copy.file->storeID() != *storeID) {
        throw Failure(TDN_DAMAGED_KEYS, "the file of keys belongs to another store", kName);
      }
      KeyFile::Unlocked unlocked = copy.file->unlock(secret);
      const std::vector<DataKey> dataKeys = copy.file->keys(unlocked.master);
      auto ring = std::make_shared<KeyRing>(copy.file->storeID(), copy.file->cipher(), dataKeys);
      std::unique_ptr<StoreKeys> keys(
        new StoreKeys(disk, std::move(*copy.file), std::move(unlocked.master), mayWrite));
      keys->slotInUse_ = unlocked.slot;
      keys->ring_ = std::move(ring);
      const Copy *other = &copy == &copies[0] ? &copies[1] : &copies[0];
      const bool isSame = other->file && other->file->bytes() == keys->file_.bytes();
      if (mayWrite && !isSame) keys->write();
      if (mayWrite && disk.open(kCopyMark, Disk::Mode::read)) {
        keys->addEpoch();
        disk.remove(kCopyMark);
        disk.flushDirectory();
      }
      return keys;
    } catch (const SealingError &error) {
      // An older copy may contain a secret that was removed since. It counts only if the newer one is damaged.
      if (error.code() != TDS_DAMAGED_SLOT && error.code() != TDS_DAMAGED_KEYS) throw failureOf(error, kName);
      if (!failure) failure = failureOf(error, kName);
    }
  }
  if (failure) throw *failure;
  throw missingKeys();
}

void StoreKeys::import(Disk &disk, const StoreID &storeID, ByteView exported, const Secret &secret) {
  try {
    KeyFile file = KeyFile::parse(exported);
    if (file.storeID() != storeID) throw Failure(TDN_OTHER_STORE, "the file of keys belongs to another store");
    const SecretBytes master = file.unlock(secret).master;
    file.keys(master);
    for (const char *name : {kName, kCopyName}) {
      const Copy copy = readCopy(disk, name);
      if (!copy.file || copy.file->storeID() != storeID) continue;
      if (file.mergeKeys(*copy.file, master) == 0) {
        throw Failure(TDN_DAMAGED_KEYS, "the exported file of keys is older than the keys of the store", name);
      }
      file.advancePast(*copy.file);
    }
    StoreKeys(disk, std::move(file), SecretBytes(), true).write();
  } catch (const SealingError &error) {
    throw failureOf(error);
  }
}

std::vector<std::string> StoreKeys::damagedCopies() {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  if (isRemoved_) return names;
  for (const char *name : {kName, kCopyName}) {
    const Copy copy = readCopy(disk_, name);
    const bool isOlder = copy.file && copy.file->sequence() < file_.sequence();
    if (!copy.file || (!isOlder && copy.file->bytes() != file_.bytes())) names.push_back(name);
  }
  return names;
}

void StoreKeys::writeCopy(const char *name, const std::vector<uint8_t> &bytes) {
  disk_.remove(kNewName);
  std::unique_ptr<DiskFile> file = disk_.open(kNewName, Disk::Mode::create);
  file->write(0, bytes.data(), bytes.size());
  file->flush();
  file = nullptr;
  disk_.rename(kNewName, name);
  disk_.flushDirectory();
}

void StoreKeys::write() {
  const std::vector<uint8_t> bytes = file_.bytes();
  writeCopy(kName, bytes);
  writeCopy(kCopyName, bytes);
}

template <class Change, class Accept> auto StoreKeys::edit(Change change, Accept accept) {
  MutexLock lock(mutex_);
  if (!mayWrite_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  KeyFile before = file_;
  const uint32_t slotBefore = slotInUse_;
  bool mayBeWritten = false;
  try {
    auto result = change();
    file_.advancePast(before);
    mayBeWritten = true;
    write();
    // Both copies are written, so nothing may fail any more, not even a copy of the result.
    static_assert(noexcept(accept()) && std::is_nothrow_move_constructible_v<decltype(result)>);
    accept();
    return result;
  } catch (const SealingError &error) {
    restore(before, slotBefore, mayBeWritten);
    throw failureOf(error, kName);
  } catch (...) {
    restore(before, slotBefore, mayBeWritten);
    throw;
  }
}

// Restores the content before a change. One or both copies on disk may already contain the change, so the restored
// content gets a higher number.
void StoreKeys::restore(KeyFile &before, uint32_t slotBefore, bool mayBeWritten) {
  before.advancePast(file_);
  std::swap(file_, before);
  slotInUse_ = slotBefore;
  if (!mayBeWritten) return;
  try {
    write();
  } catch (const std::exception &) {
    // The caller gets the first failure. Until the next change, the newer copy on disk may contain the change that
    // failed. That copy is complete, and has all keys.
  }
}

StoreKeys::SlotInfo StoreKeys::info(const KeyFile::Slot &slot, uint32_t slotInUse) {
  return {slot.id, slot.kind, slot.createdMilliseconds, slot.isDamaged(), slot.id == slotInUse};
}

std::vector<StoreKeys::SlotInfo> StoreKeys::lockedSlots() const {
  std::vector<SlotInfo> infos;
  for (const KeyFile::Slot &slot : file_.slots()) infos.push_back(info(slot, slotInUse_));
  return infos;
}

std::vector<StoreKeys::SlotInfo> StoreKeys::slots() {
  MutexLock lock(mutex_);
  return lockedSlots();
}

uint32_t StoreKeys::addSecret(const Secret &secret, const ScryptCost &cost) {
  return edit([&] { return file_.addSlot(secret, master_, cost, nowMilliseconds()); });
}

void StoreKeys::removeSlot(uint32_t id) {
  edit([&] {
    file_.removeSlot(id);
    return true;
  });
}

uint32_t StoreKeys::changeSecret(const Secret &secret, const ScryptCost &cost) {
  return edit([&] {
    const uint32_t made = file_.addSlot(secret, master_, cost, nowMilliseconds());
    file_.removeSlot(slotInUse_);
    slotInUse_ = made;
    return made;
  });
}

void StoreKeys::addEpoch() {
  std::shared_ptr<KeyRing::Addition> addition;
  edit(
    [&] {
      std::vector<DataKey> made;
      made.push_back({KeyPurpose::epoch, ring_->currentEpoch() + 1, SecretBytes::random(32)});
      addition = KeyRing::prepare(file_.cipher(), made);
      file_.addKey(made.front(), master_);
      return true;
    },
    [&]() noexcept { ring_->add(*addition); });
}

std::vector<uint8_t> StoreKeys::exported() {
  MutexLock lock(mutex_);
  return file_.bytes();
}

// MARK: Rotation of all keys

StoreKeys::Renewal StoreKeys::renew(const std::vector<Secret> &secrets, const ScryptCost &cost) {
  if (secrets.empty()) throw Failure(TDN_INVALID, "no passphrase or key would open the store: pass at least one");
  SecretBytes master = SecretBytes::random(KeyFile::kMasterSize);
  std::shared_ptr<KeyRing::Addition> addition;
  return edit(
    [&] {
      const std::vector<DataKey> made = newKeyGeneration(ring_->currentEpoch() + 1);
      addition = KeyRing::prepare(file_.cipher(), made);
      KeyFile renewed(file_.storeID(), file_.cipher());
      Renewal renewal;
      std::vector<SlotInfo> before = lockedSlots();
      uint32_t slotInUse = 0;
      for (const Secret &secret : secrets) {
        const uint32_t slot = renewed.addSlot(secret, master, cost, nowMilliseconds());
        if (slotInUse == 0) slotInUse = slot;
        std::optional<uint32_t> known;
        try {
          known = file_.unlock(secret).slot;
        } catch (const SealingError &error) {
          // The secret did not open the store before.
          if (error.code() != TDS_WRONG_SECRET && error.code() != TDS_DAMAGED_SLOT) throw;
        }
        const auto found = std::find_if(before.begin(), before.end(), [&](const SlotInfo &slot) {
          return known && slot.id == *known;
        });
        if (found == before.end()) continue;
        if (found->isInUse) slotInUse = slot;
        before.erase(found);
        renewal.kept.push_back(info(renewed.slots().back(), 0));
      }
      renewal.removed = std::move(before);
      for (SlotInfo &slot : renewal.removed) slot.isInUse = false;
      for (SlotInfo &slot : renewal.kept) slot.isInUse = slot.id == slotInUse;
      for (const DataKey &key : file_.keys(master_)) renewed.addKey(key, master);
      for (const DataKey &key : made) renewed.addKey(key, master);
      renewed.advancePast(file_);
      file_ = std::move(renewed);
      slotInUse_ = slotInUse;
      return renewal;
    },
    [&]() noexcept {
      master_ = std::move(master);
      ring_->add(*addition);
    });
}

bool StoreKeys::hasEarlierKeys() {
  MutexLock lock(mutex_);
  return file_.hasKeysBefore(ring_->keyGeneration());
}

void StoreKeys::forgetEarlierKeys() {
  edit([&] {
    const uint32_t keyGeneration = ring_->keyGeneration();
    for (KeyPurpose purpose : {KeyPurpose::epoch, KeyPurpose::name, KeyPurpose::digest}) {
      // If the newest keys were missing, removing the others would lose all data.
      if (!file_.hasKey(purpose, keyGeneration)) {
        throw Failure(TDN_DAMAGED_KEYS, "the file of keys does not contain the newest keys", kName);
      }
    }
    file_.removeKeysBefore(keyGeneration);
    return true;
  });
}

StoreKeys::Migration StoreKeys::migration() {
  MutexLock lock(mutex_);
  for (Migration migration : {Migration::encrypting, Migration::decrypting}) {
    if (file_.hasKey(KeyPurpose::migration, static_cast<uint32_t>(migration))) return migration;
  }
  return Migration::none;
}

void StoreKeys::setMigration(Migration migration) {
  edit([&] {
    for (Migration other : {Migration::encrypting, Migration::decrypting}) {
      file_.removeKey(KeyPurpose::migration, static_cast<uint32_t>(other));
    }
    if (migration != Migration::none) file_.addKey(markOf(migration), master_);
    return true;
  });
}

void StoreKeys::remove() {
  MutexLock lock(mutex_);
  if (!mayWrite_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  for (const char *name : {kNewName, kCopyMark, kCopyName, kName}) disk_.remove(name);
  disk_.flushDirectory();
  isRemoved_ = true;
}

}  // namespace todana
