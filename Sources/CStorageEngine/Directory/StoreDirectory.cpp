#include "StoreDirectory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"

namespace todana {

namespace {

// The format of the superblock is in docs/formats/cabinet-files.md, section "Superblock".
constexpr char kNewName[] = "superblock.new";
constexpr char kMagic[] = "TODANA\r\n";
constexpr int64_t kCopyOffset = 4096;

struct Superblock {
  char magic[8];
  uint32_t formatVersion;
  uint32_t pageSize;
  uint8_t storeID[16];
  uint64_t checksum;
};
static_assert(sizeof(Superblock) == 40);

bool isSound(const Superblock &superblock) {
  return std::memcmp(superblock.magic, kMagic, 8) == 0 &&
         superblock.checksum == checksum(&superblock, offsetof(Superblock, checksum), 4);
}

// Reads a copy. Returns an empty superblock if it does not exist.
Superblock readCopy(DiskFile &file, int64_t offset) {
  Superblock superblock{};
  if (file.read(offset, &superblock, sizeof superblock) != sizeof superblock) return {};
  return superblock;
}

// Tests whether a copy, and the bytes after it, are undamaged.
bool isHalfSound(DiskFile &file, int64_t offset) {
  std::vector<char> half(kCopyOffset);
  return file.read(offset, half.data(), half.size()) == half.size() && isSound(readCopy(file, offset)) &&
         isZero(half.data() + sizeof(Superblock), half.size() - sizeof(Superblock));
}

bool isDirectory(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool exists(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

void makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), slash == std::string::npos ? kDirectoryPermissions : 0777) == 0) {
      // Make the name of the new directory durable, before it gets content.
      const size_t parent = part.rfind('/');
      DirectoryDisk(parent == std::string::npos ? "." : parent == 0 ? "/" : part.substr(0, parent)).flushDirectory();
    } else if (errno != EEXIST) {
      throw Failure::fromErrno(errno, "cannot create the directory", part);
    }
    if (slash == std::string::npos) return;
  }
}

// Tests whether an interrupted creation may have left a file with this name.
bool isRemnant(const std::string &name) {
  return name == DirectoryLock::kName || name == kNewName || StoreKeys::isKeyFile(name);
}

std::string temporaryDirectory() {
  const char *directory = std::getenv("TMPDIR");
  return directory && *directory ? directory : "/tmp";
}

}  // namespace

ScryptCost scryptCost(const tdn_options &options) {
  ScryptCost cost;
  if (options.scrypt_log2_n != 0) cost.log2N = static_cast<uint8_t>(std::clamp(options.scrypt_log2_n, 0, 255));
  return cost;
}

std::unique_ptr<StoreDirectory> StoreDirectory::open(const std::string &path, const tdn_options &options) {
  std::unique_ptr<StoreDirectory> directory(new StoreDirectory);
  switch (options.storage) {
    case TDN_STORAGE_DIRECTORY:
      directory->openDirectory(path, options);
      break;
    case TDN_STORAGE_TEMPORARY:
      directory->disk_ = std::make_unique<AnonymousDisk>(path.empty() ? temporaryDirectory() : path);
      directory->create(options);
      break;
    case TDN_STORAGE_MEMORY:
      directory->disk_ = std::make_unique<AnonymousDisk>("");
      directory->create(options);
      break;
    default:
      throw Failure(TDN_INVALID, "unknown kind of storage");
  }
  return directory;
}

void StoreDirectory::openDirectory(const std::string &path, const tdn_options &options) {
  if (path.empty()) throw Failure(TDN_INVALID, "the path of the store is empty");
  const bool writes = options.access != TDN_ACCESS_READ;
  const bool mayCreate = options.access == TDN_ACCESS_WRITE;
  if (!isDirectory(path)) {
    if (exists(path)) throw Failure(TDN_NOT_A_STORE, "a store is a directory, but there is a file at its path", path);
    if (!mayCreate) throw Failure(TDN_NOT_FOUND, "there is no store at the path", path);
    makeDirectories(path);
  }
  disk_ = std::make_unique<DirectoryDisk>(path);
  // Check before the lock file is created: nothing is created in a directory with other content.
  auto check = [&] {
    const std::vector<std::string> names = disk_->list();
    if (std::find(names.begin(), names.end(), kSuperblockName) != names.end()) return true;
    if (!std::all_of(names.begin(), names.end(), isRemnant)) {
      throw Failure(TDN_NOT_A_STORE, "the directory contains other files than a store", path);
    }
    if (!mayCreate) throw Failure(TDN_NOT_FOUND, "there is no store at the path", path);
    return false;
  };
  check();
  const std::string program = options.program ? options.program : "";
  lock_ = DirectoryLock::acquire(
    path, writes ? DirectoryLock::Kind::exclusive : DirectoryLock::Kind::shared, writes, options.wait_milliseconds,
    program);
  // Another process may have created the store while this one waited.
  if (check()) {
    const StoreIdentity identity = readSuperblock(*disk_);
    std::memcpy(storeID_, identity.storeID, 16);
    formatVersion_ = identity.formatVersion;
    if (writes) repairSuperblock();
    openKeys(options);
  } else {
    create(options);
  }
}

// Opens the file of keys, before any record is used.
void StoreDirectory::openKeys(const tdn_options &options) {
  if (!StoreKeys::exist(*disk_)) {
    if (!options.secret) return;
    if (StoreKeys::areMissing(*disk_)) throw missingKeys();
    throw Failure(TDN_NOT_ENCRYPTED, "the store is not encrypted: open it without a passphrase or key, or encrypt it");
  }
  if (!options.secret) throw Failure(TDN_SECRET_REQUIRED, "the store is encrypted: a passphrase or key is needed");
  keys_ = StoreKeys::open(*disk_, identity(), secretOf(*options.secret), options.access != TDN_ACCESS_READ);
  // An attacker who restores an old state of the directory must not make the store accept plain records.
  if (keys_->migration() == StoreKeys::Migration::none || options.resuming_migration) return;
  throw Failure(
    TDN_MIGRATION_UNFINISHED,
    "encrypting or decrypting the store was interrupted: if you started that, open the store to resume it");
}

StoreID StoreDirectory::identity() const {
  StoreID storeID;
  std::copy(std::begin(storeID_), std::end(storeID_), storeID.begin());
  return storeID;
}

std::unique_ptr<StoreKeys> StoreDirectory::makeKeys(const Secret &secret, const tdn_options &options) {
  const DataCipher cipher = options.cipher == 2 ? DataCipher::aes256 : DataCipher::aes128;
  try {
    return StoreKeys::create(
      *disk_, identity(), secret, cipher, scryptCost(options), StoreKeys::Migration::encrypting);
  } catch (...) {
    // A remaining file of keys would make the store require a secret. If it cannot be removed, the secret opens it, and
    // the migration can be continued.
    for (const char *name : {StoreKeys::kNewName, StoreKeys::kCopyName, StoreKeys::kName}) {
      try {
        disk_->remove(name);
      } catch (const Failure &) {
      }
    }
    throw;
  }
}

void StoreDirectory::importKeys(const std::string &path, ByteView exported, const Secret &secret) {
  if (!isDirectory(path)) throw Failure(TDN_NOT_FOUND, "there is no store at the path", path);
  DirectoryDisk disk(path);
  if (!disk.open(kSuperblockName, Disk::Mode::read)) {
    throw Failure(TDN_NOT_A_STORE, "the directory is not a store", path);
  }
  const auto lock = DirectoryLock::acquire(path, DirectoryLock::Kind::exclusive, true, 0, "");
  const StoreIdentity identity = readSuperblock(disk);
  if (!StoreKeys::exist(disk) && !StoreKeys::areMissing(disk)) {
    throw Failure(TDN_NOT_ENCRYPTED, "the store is not encrypted, so it has no file of keys", path);
  }
  StoreID storeID;
  std::copy(std::begin(identity.storeID), std::end(identity.storeID), storeID.begin());
  StoreKeys::import(disk, storeID, exported, secret);
}

void StoreDirectory::destroy(const std::string &path, int64_t waitMilliseconds) {
  const auto refuse = [&] { throw Failure(TDN_NOT_FOUND, "there is no store at the path", path); };
  if (!isDirectory(path)) refuse();
  DirectoryDisk disk(path);
  const auto isStore = [&] { return disk.open(kSuperblockName, Disk::Mode::read) != nullptr; };
  if (!isStore()) refuse();
  const auto lock = DirectoryLock::acquire(path, DirectoryLock::Kind::exclusive, true, waitMilliseconds, "");
  // Another process may have destroyed the store while this one waited.
  if (!isStore()) refuse();
  for (const char *name : {StoreKeys::kName, StoreKeys::kCopyName, StoreKeys::kNewName, StoreKeys::kCopyMark}) {
    disk.remove(name);
  }
  disk.flushDirectory();
  for (const std::string &name : disk.list()) {
    if (fileNumberIn(name) || isFileOfCommits(name) || name == kNewName) disk.remove(name);
  }
  // While there is a superblock, a call that was interrupted can be repeated.
  disk.flushDirectory();
  disk.remove(kSuperblockName);
  disk.remove(DirectoryLock::kName);
  disk.flushDirectory();
  // Other files may be in the directory.
  if (::rmdir(path.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST) {
    throw Failure::fromErrno(errno, "cannot remove the directory", path);
  }
}

void StoreDirectory::create(const tdn_options &options) {
  std::random_device random;
  for (uint8_t &byte : storeID_) byte = static_cast<uint8_t>(random());
  // An interrupted creation may have left files of keys.
  for (const char *name : {StoreKeys::kName, StoreKeys::kCopyName, StoreKeys::kNewName}) disk_->remove(name);
  if (options.secret) {
    const DataCipher cipher = options.cipher == 2 ? DataCipher::aes256 : DataCipher::aes128;
    keys_ = StoreKeys::create(*disk_, identity(), secretOf(*options.secret), cipher, scryptCost(options));
  }
  Superblock superblock{};
  std::memcpy(superblock.magic, kMagic, 8);
  superblock.formatVersion = kFormatVersion;
  superblock.pageSize = 4096;
  std::memcpy(superblock.storeID, storeID_, 16);
  superblock.checksum = checksum(&superblock, offsetof(Superblock, checksum), 4);
  std::unique_ptr<DiskFile> file = disk_->open(kNewName, Disk::Mode::create);
  std::vector<char> zeros(2 * kCopyOffset, 0);
  file->write(0, zeros.data(), zeros.size());
  file->write(0, &superblock, sizeof superblock);
  file->write(kCopyOffset, &superblock, sizeof superblock);
  file->flush();
  disk_->rename(kNewName, kSuperblockName);
  disk_->flushDirectory();
  wasCreated_ = true;
}

bool StoreDirectory::isSuperblockSound(Disk &disk) {
  std::unique_ptr<DiskFile> file = disk.open(kSuperblockName, Disk::Mode::read);
  return file && file->size() == 2 * kCopyOffset && isHalfSound(*file, 0) && isHalfSound(*file, kCopyOffset);
}

// Rewrites a damaged copy. The other one is sufficient, but would then be the only one.
void StoreDirectory::repairSuperblock() {
  std::unique_ptr<DiskFile> file = disk_->open(kSuperblockName, Disk::Mode::write);
  if (!file) return;
  for (int64_t offset : {int64_t{0}, kCopyOffset}) {
    const Superblock other = readCopy(*file, kCopyOffset - offset);
    if (isHalfSound(*file, offset) || !isSound(other)) continue;
    std::vector<char> half(kCopyOffset);
    std::memcpy(half.data(), &other, sizeof other);
    file->write(offset, half.data(), half.size());
    file->flush();
  }
}

StoreIdentity StoreDirectory::readSuperblock(Disk &disk) {
  std::unique_ptr<DiskFile> file = disk.open(kSuperblockName, Disk::Mode::read);
  std::optional<Superblock> found;
  bool hasNewerMagic = false;
  for (int64_t offset : {int64_t{0}, kCopyOffset}) {
    const Superblock superblock = file ? readCopy(*file, offset) : Superblock{};
    if (std::memcmp(superblock.magic, kMagic, 8) != 0) continue;
    // A newer version may have another layout, even of the checksum.
    hasNewerMagic |= superblock.formatVersion > kFormatVersion;
    if (isSound(superblock)) {
      found = superblock;
      break;
    }
  }
  if ((found && found->formatVersion > kFormatVersion) || (!found && hasNewerMagic)) {
    throw Failure(TDN_NEWER_FORMAT, "a newer version of Todana wrote the store: open it with that version", kSuperblockName);
  }
  if (found && found->formatVersion < kFormatVersion) {
    throw Failure(
      TDN_OLDER_FORMAT, "an older version of Todana wrote the store: open it with that version, and dump it there",
      kSuperblockName);
  }
  if (!found || found->pageSize != 4096) throw Failure(TDN_DAMAGED, "both copies of the superblock are damaged", kSuperblockName);
  StoreIdentity identity;
  std::memcpy(identity.storeID, found->storeID, 16);
  identity.formatVersion = found->formatVersion;
  return identity;
}

}  // namespace todana
