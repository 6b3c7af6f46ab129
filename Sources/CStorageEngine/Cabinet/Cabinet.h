// The object behind a `tdn_cabinet`. It has the open session and the session lock (`door_`), which all calls hold
// shared. `close`, `reopen` and `beginEncryption` hold it exclusively.
#pragma once

#include <memory>
#include <string>

#include "../Backups/Backup.h"
#include "../Backups/BackupReader.h"
#include "../Backups/SeriesBackup.h"
#include "../Directory/StoreDirectory.h"
#include "../Disk/Mutex.h"
#include "../Disk/ReaderWriterLock.h"
#include "../include/StorageEngineKeys.h"
#include "../include/StorageEngineOpening.h"
#include "Session.h"

namespace todana {

// An open cabinet. It lives until the handle and all its snapshots and scans are closed. The functions of the C
// interface own and call it.
//
// Any thread, with no other lock held: functions that use the session or the keys take the session lock themselves.
class Cabinet {
 public:
  Cabinet(const std::string &path, const tdn_options &options, tdn_open_report &report);

  // The session, which stays open while this object lives.
  class Use {
   public:
    // Throws Failure: TDN_CLOSED, or TDN_MUST_REOPEN if reopening has failed.
    explicit Use(Cabinet &cabinet);
    Session *operator->() const { return &session_; }
    Session &operator*() const { return session_; }

   private:
    ReaderWriterLock::Shared door_;
    Session &session_;
  };

  // Closes the store, after waiting for running calls.
  void close();
  // Begins to copy the newest commit.
  std::unique_ptr<Backup> openBackup(const std::string &path);
  // Begins to read the newest commit as a stream. Leaves out files that do not belong to the store. Adds the mark of a
  // copy if the store is encrypted.
  std::unique_ptr<BackupReader> openBackupReader();
  std::unique_ptr<SeriesBackup> openSeriesBackup(const std::string &path);
  void reopen(tdn_open_report &report);

  // Calls `body` with the store's keys. Throws Failure: TDN_NOT_ENCRYPTED, TDN_CLOSED.
  template <class Body> auto withKeys(Body body) {
    ReaderWriterLock::Shared lock(door_);
    return body(requireKeys());
  }
  bool isEncrypted();

  // Returns the damaged files other than data files.
  std::vector<FileGroup::DamagedFile> verifyCompanions();

  // -- Migrations to other keys, or to none (KeyMigration.h). Each is begun once, and run until it is done.
  StoreKeys::Renewal beginRotation(const std::vector<Secret> &secrets);
  void beginEncryption(const Secret &secret);
  void beginDecryption();
  tdn_migration migration();
  // Runs the migration. Returns false if `progress` gave up.
  bool migrate(const Rebuilding::Progress &progress);
  const tdn_options &options() const { return options_; }

  // Tests whether there is an open session, for objects that outlive it.
  bool isOpen();

  // -- In a child of the process that opened the cabinet. Neither takes a lock: another thread of the parent may have
  // held it during the fork.
  // Throws Failure(TDN_USED_AFTER_FORK) if the parent may have changed files since the fork, so that what was read
  // before this call is not reliable.
  void requireUnchangedSinceFork() const;
  // Lets the directory go, so that another process can lock it when the parent has closed it or died. Keeps everything
  // else in memory.
  void abandon();

 private:
  void openSession(const tdn_options &options, FileGroup::Report &report);
  StoreKeys *openKeys() const;
  StoreKeys &requireKeys() const;
  void requireWritable() const;
  void beginMigration() TDN_ACQUIRE(migrationMutex_);
  void requireOutside(const std::string &path) const;
  FileGroup::BackupPlan planBackup(Session &session) const;
  void fill(tdn_open_report &report, const FileGroup::Report &groupReport) const;
  Session &session() const;

  ReaderWriterLock door_;
  const tdn_options options_;
  std::unique_ptr<StoreDirectory> directory_;
  FileTable::ReservedIDs reservedIDs_;  // of the session that a failure ended
  uint64_t durableCommit_ = 0;          // the newest one of that session
  std::unique_ptr<Session> session_;
  bool isClosed_ = false;
  Mutex migrationMutex_;  // held by a migration; taken before the session lock
};

}  // namespace todana
