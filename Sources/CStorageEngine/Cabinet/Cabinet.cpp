#include "Cabinet.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/stat.h>

#include "../Backups/BackupWriter.h"
#include "../Disk/PartialDirectory.h"
#include "KeyMigration.h"

namespace todana {

namespace {

// Removes pointers to the caller's data, which need not outlive the opening.
tdn_options withoutPointers(tdn_options options) {
  options.secret = nullptr;
  options.expected = nullptr;
  return options;
}

}  // namespace

Cabinet::Use::Use(Cabinet &cabinet) : door_(cabinet.door_), session_(cabinet.session()) {}

Cabinet::Cabinet(const std::string &path, const tdn_options &options, tdn_open_report &report)
    : options_(withoutPointers(options)), directory_(StoreDirectory::open(path, options)) {
  FileGroup::Report groupReport;
  openSession(options, groupReport);
  fill(report, groupReport);
  report.created = directory_->wasCreated();
}

void Cabinet::openSession(const tdn_options &options, FileGroup::Report &report) {
  StoreKeys *keys = openKeys();
  const bool mayBePlain = keys && keys->migration() != StoreKeys::Migration::none;
  session_ = std::make_unique<Session>(
    directory_->disk(), options, keys ? keys->ring() : nullptr, mayBePlain, report, durableCommit_);
  StoreID storeID;
  std::copy(directory_->storeID(), directory_->storeID() + storeID.size(), storeID.begin());
  session_->setStoreID(storeID);
  if (keys) session_->setEpochMaker([keys] { keys->addEpoch(); });
}

// Returns null if the store is not encrypted.
StoreKeys *Cabinet::openKeys() const {
  StoreKeys *keys = directory_->keys();
  return keys && !keys->isRemoved() ? keys : nullptr;
}

StoreKeys &Cabinet::requireKeys() const {
  if (isClosed_) throw Failure(TDN_CLOSED, "the store is closed");
  if (StoreKeys *keys = openKeys()) return *keys;
  throw Failure(TDN_NOT_ENCRYPTED, "the store is not encrypted");
}

void Cabinet::fill(tdn_open_report &report, const FileGroup::Report &groupReport) const {
  report = {};
  report.read_only = options_.access == TDN_ACCESS_READ;
  std::memcpy(report.store_id, directory_->storeID(), sizeof(report.store_id));
  report.commit_number = groupReport.commitNumber;
  report.recovered_commits = groupReport.recoveredCommits;
  report.recovery_seconds = groupReport.recoverySeconds;
  report.format_version = directory_->formatVersion();
}

Session &Cabinet::session() const {
  if (isClosed_) throw Failure(TDN_CLOSED, "the store is closed");
  if (!session_) throw Failure(TDN_MUST_REOPEN, "the store could not be reopened: try again");
  return *session_;
}

bool Cabinet::isEncrypted() {
  ReaderWriterLock::Shared lock(door_);
  return !isClosed_ && openKeys();
}

std::vector<FileGroup::DamagedFile> Cabinet::verifyCompanions() {
  Use session(*this);
  if (options_.storage == TDN_STORAGE_MEMORY) return {};
  std::vector<FileGroup::DamagedFile> found = session->group().verifyCompanions();
  if (!StoreDirectory::isSuperblockSound(directory_->disk())) {
    found.push_back({StoreDirectory::kSuperblockName, "one of its two copies is damaged"});
  }
  if (StoreKeys *keys = openKeys()) {
    for (const std::string &name : keys->damagedCopies()) {
      found.push_back({name, "this copy of the file of keys is damaged or missing"});
    }
  }
  return found;
}

bool Cabinet::isOpen() {
  ReaderWriterLock::Shared lock(door_);
  return !isClosed_ && session_;
}

void Cabinet::close() {
  ReaderWriterLock::Exclusive lock(door_);
  isClosed_ = true;
  // Destroy the directory last: this releases its lock, so that other processes can open the store.
  std::unique_ptr<StoreDirectory> directory = std::move(directory_);
  std::unique_ptr<Session> session = std::move(session_);
  if (session) session->close();
}

void Cabinet::reopen(tdn_open_report &report) {
  ReaderWriterLock::Exclusive lock(door_);
  if (isClosed_) throw Failure(TDN_CLOSED, "the store is closed");
  FileGroup::Report groupReport;
  if (options_.storage == TDN_STORAGE_MEMORY && session_) {
    // Nothing is flushed in memory, so nothing can fail, and there are no files to recover from.
    groupReport.commitNumber = session_->group().commitNumber();
  } else {
    // The cabinet keeps the reserved ids until an opening succeeds: a failed attempt must not lose them.
    if (session_) {
      reservedIDs_ = session_->table().reservedIDs();
      durableCommit_ = std::max(durableCommit_, session_->group().durableCommit());
    }
    session_ = nullptr;
    // Otherwise an empty store would be opened in place of one that was deleted.
    if (options_.storage == TDN_STORAGE_DIRECTORY &&
        !directory_->disk().open(StoreDirectory::kSuperblockName, Disk::Mode::read)) {
      throw Failure(TDN_NOT_FOUND, kDeletedFiles);
    }
    openSession(options_, groupReport);
    session_->table().restore(reservedIDs_);
  }
  fill(report, groupReport);
}

// MARK: In a child

void Cabinet::requireUnchangedSinceFork() const {
  if (!session_ || session_->group().mayDifferFromFiles()) ForkGuard::throwUsedAfterFork();
}

void Cabinet::abandon() {
  if (directory_) directory_->unlock();
}

// MARK: Other keys, or none

void Cabinet::requireWritable() const {
  if (options_.access == TDN_ACCESS_READ) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
}

void Cabinet::beginMigration() {
  if (migrationMutex_.tryLock()) return;
  throw Failure(TDN_IN_USE, "another thread is renewing the keys of the store, or encrypting or decrypting it");
}

StoreKeys::Renewal Cabinet::beginRotation(const std::vector<Secret> &secrets) {
  beginMigration();
  MutexLock held(migrationMutex_, std::adopt_lock);
  Use session(*this);
  StoreKeys &keys = requireKeys();
  if (keys.migration() != StoreKeys::Migration::none) {
    throw Failure(TDN_MIGRATION_UNFINISHED, "the store is being encrypted or decrypted: finish that first");
  }
  session->requireConsistentStates();
  KeyMigration::requireRoom(*session);
  return keys.renew(secrets, scryptCost(options_));
}

void Cabinet::beginEncryption(const Secret &secret) {
  beginMigration();
  MutexLock held(migrationMutex_, std::adopt_lock);
  requireWritable();
  std::unique_ptr<StoreKeys> keys;
  {
    Use session(*this);
    session->requireConsistentStates();
    if (StoreKeys *known = openKeys(); known && known->migration() != StoreKeys::Migration::none) {
      throw Failure(TDN_MIGRATION_UNFINISHED, "the store is already being encrypted or decrypted: resume that");
    }
    if (openKeys()) throw Failure(TDN_INVALID, "the store is already encrypted: add or change a passphrase or key");
    if (session->keyRing()) {
      throw Failure(TDN_INVALID, "the store was decrypted since it was opened: close it and open it again first");
    }
    KeyMigration::requireRoom(*session);
    keys = directory_->makeKeys(secret, options_);
  }
  ReaderWriterLock::Exclusive lock(door_);
  if (isClosed_ || !session_) {
    keys->remove();
    session();
  }
  directory_->setKeys(std::move(keys));
  session_->setEpochMaker([keys = directory_->keys()] { keys->addEpoch(); });
  session_->setKeys(directory_->keys()->ring());
}

void Cabinet::beginDecryption() {
  beginMigration();
  MutexLock held(migrationMutex_, std::adopt_lock);
  requireWritable();
  Use session(*this);
  session->requireConsistentStates();
  KeyMigration::requireRoom(*session);
  // Allowed during any other migration, because decryption is the way out of it.
  requireKeys().setMigration(StoreKeys::Migration::decrypting);
}

tdn_migration Cabinet::migration() {
  ReaderWriterLock::Shared lock(door_);
  if (isClosed_) throw Failure(TDN_CLOSED, "the store is closed");
  StoreKeys *keys = openKeys();
  if (!keys) return TDN_MIGRATION_NONE;
  switch (keys->migration()) {
    case StoreKeys::Migration::encrypting: return TDN_MIGRATION_ENCRYPTING;
    case StoreKeys::Migration::decrypting: return TDN_MIGRATION_DECRYPTING;
    case StoreKeys::Migration::none: break;
  }
  return keys->hasEarlierKeys() ? TDN_MIGRATION_ROTATING : TDN_MIGRATION_NONE;
}

bool Cabinet::migrate(const Rebuilding::Progress &progress) {
  beginMigration();
  MutexLock held(migrationMutex_, std::adopt_lock);
  requireWritable();
  const tdn_migration migration = this->migration();
  if (migration == TDN_MIGRATION_NONE) return true;
  Use session(*this);
  // If memory ran out directly after the keys were made, the session does not have them yet.
  if (!session->keyRing()) session->setKeys(requireKeys().ring());
  return KeyMigration(
           *session, requireKeys(),
           migration == TDN_MIGRATION_DECRYPTING ? KeyMigration::Goal::plain : KeyMigration::Goal::sealed)
    .run(progress);
}

// Throws Failure(TDN_INVALID) if `path`, which need not exist, lies within the store's own directory.
void Cabinet::requireOutside(const std::string &path) const {
  struct stat own, found;
  const std::unique_ptr<DiskFile> superblock = directory_->disk().open(StoreDirectory::kSuperblockName, Disk::Mode::read);
  if (!superblock || ::fstat(superblock->descriptor(), &own) != 0) return;
  std::string existing = withoutLastSlashes(path);
  while (::stat(existing.c_str(), &found) != 0 && existing != "." && existing != "/") existing = parentOf(existing);
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(existing.c_str(), nullptr), &std::free);
  if (!real) return;
  for (std::string directory = real.get();; directory = parentOf(directory)) {
    const std::string place = directory + "/" + StoreDirectory::kSuperblockName;
    if (::stat(place.c_str(), &found) == 0 && found.st_dev == own.st_dev && found.st_ino == own.st_ino) {
      throw Failure(TDN_INVALID, "the copy would be inside the store: choose a path outside of its directory", path);
    }
    if (directory == "/") return;
  }
}

FileGroup::BackupPlan Cabinet::planBackup(Session &session) const {
  // Leave out files that do not belong to the store: BackupWriter refuses their names.
  return session.group().planBackup(
    [](const std::string &name) { return BackupWriter::isFileName(name) && name != StoreKeys::kCopyMark; });
}

std::unique_ptr<Backup> Cabinet::openBackup(const std::string &path) {
  Use session(*this);
  requireOutside(path);
  return std::make_unique<Backup>(path, planBackup(*session), directory_->disk());
}

std::unique_ptr<BackupReader> Cabinet::openBackupReader() {
  Use session(*this);
  FileGroup::BackupPlan plan = planBackup(*session);
  auto &files = plan.files;
  if (openKeys()) files.push_back({StoreKeys::kCopyMark, 0});
  std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) { return a.name < b.name; });
  return std::make_unique<BackupReader>(std::move(plan), directory_->disk());
}

std::unique_ptr<SeriesBackup> Cabinet::openSeriesBackup(const std::string &path) {
  Use session(*this);
  if (options_.storage == TDN_STORAGE_MEMORY) throw Failure(TDN_INVALID, "a store in memory has no files to copy");
  requireOutside(path);
  // Do the checks that can fail before making the plan: from then on, checkpoints wait.
  auto backup = std::make_unique<SeriesBackup>(
    SeriesDirectory(path, SeriesDirectory::Use::add), directory_->storeID(), directory_->disk());
  // Run a checkpoint first. Otherwise this backup would copy data from a log, and the next one would copy them again
  // from the main files.
  if (options_.access != TDN_ACCESS_READ) session->group().checkpoint();
  backup->begin(planBackup(*session));
  return backup;
}

}  // namespace todana
