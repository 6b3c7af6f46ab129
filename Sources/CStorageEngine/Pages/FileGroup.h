// The crash-safe layer: the data files of one directory, which commit together through one redo log.
//
// A commit exists in memory (private mappings) and in the log; a checkpoint writes it back to the main files. Two logs
// alternate, so that commits continue during a checkpoint. docs/architecture/storage.md describes both.
//
// Locks, in the order in which they are taken: Checkpointer::mutex, GroupState::commitMutex, GroupState::stateLock,
// then those of FileSet, GroupFlush, MemoryLimit and PageRepairs, which guard their own fields.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../include/StorageEngineMaintenance.h"
#include "Checkpointer.h"
#include "DataFile.h"
#include "DirectWrites.h"
#include "GroupState.h"

namespace todana {

// The open group. A commit is applied entirely or not at all to all files. Readers see the state of one commit.
//
// Session owns it, and closes it. Session and the classes of Keyspaces, Commit and Rebuild commit through it and use
// its files; Cabinet plans backups. Any thread, with two exceptions: functions marked `Inside apply` belong to the
// committing thread, `keepOnly` and `close` to the session that opens or closes.
class FileGroup {
 public:
  using Settings = GroupSettings;

  struct Report {
    uint64_t commitNumber = 0;
    uint64_t recoveredCommits = 0;
    double recoverySeconds = 0;
  };

  // Recovers the directory's files from its logs. Throws Failure.
  static std::unique_ptr<FileGroup> open(Disk &disk, const Settings &settings, Report &report);
  // Leaves the files as after a kill, unless `close` was called. Data files must have no other users.
  ~FileGroup();
  FileGroup(const FileGroup &) = delete;
  FileGroup &operator=(const FileGroup &) = delete;

  // A shared hold of the state lock, during which commits change no memory. A thread must not take it twice, or hold it
  // longer than a millisecond. Throws Failure(TDN_MUST_REOPEN) after a failed flush.
  class ReadLock {
   public:
    explicit ReadLock(FileGroup &group) : lock_(group.state_.stateLock) { group.throwIfPoisoned(); }

   private:
    ReaderWriterLock::Shared lock_;
  };

  // A ReadLock for code that may also run inside `apply`, where readers are already excluded.
  class ReadLockUnlessApplying {
   public:
    explicit ReadLockUnlessApplying(FileGroup &group) {
      if (group.applyingThread_.load(std::memory_order_relaxed) != std::this_thread::get_id()) lock_.emplace(group);
    }

   private:
    std::optional<ReadLock> lock_;
  };

  // The time of the flush: before `commit` returns (full), within a second (relaxed), or with the next flush (bulk).
  enum class Durability { full, relaxed, bulk };

  // -- Commits

  // Commits all changes that `apply` makes. `apply` runs with readers excluded; it may write to, create, adopt and drop
  // files of the group. With full durability, waits for the flush after readers are admitted again. Returns the
  // commit's number, or that of the newest commit if nothing was written.
  //
  // If `apply` throws or the log cannot be written, restores the committed content of every file. Then calls `undone`,
  // with readers still excluded, so that the caller discards derived state, and rethrows the failure. Throws
  // Failure(TDN_MUST_REOPEN) if a flush fails. Throws Failure(TDN_NO_SPACE) if the disk would have too little room to
  // write the log back, besides the reserve.
  uint64_t commit(
    const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
    const std::function<void()> &undone, DiskRoom::Reserve reserve = DiskRoom::Reserve::all);

  // The number and batch id of the commit being applied, and whether it has changed anything so far. Inside `apply`.
  struct Applying {
    uint64_t commitNumber;
    const uint8_t *batchID;
    bool hasChanges;
  };
  Applying applying() const { return {state_.ring.newest() + 1, applyingBatch_, !state_.files.changed.empty()}; }

  uint64_t commitNumber() const { return state_.ring.newest(); }
  // Returns the batch id of one of the last 1,024 commits.
  std::optional<CommitRing::BatchID> batchID(uint64_t commitNumber) const { return state_.ring.batchID(commitNumber); }
  // Returns the number of the commit with this batch id among the last 1,024, or 0. Throws Failure(TDN_MUST_REOPEN)
  // after a failed flush, because only recovery can determine which commits count.
  uint64_t outcome(const uint8_t batchID[16]) const;
  // Waits until everything committed is on disk.
  void flush() { state_.flush.flush(); }

  // -- Files

  // Opens a data file that a commit created. Returns the same object for a file that is already open. Throws
  // Failure(TDN_DAMAGED) if it is missing, or shorter than committed. Any thread, at any time.
  std::shared_ptr<DataFile> openFile(uint32_t number, const std::string &name);
  // Closes data files that have no other user and whose committed pages are all in their main file. If a commit is
  // running, waits for it if `waits`, otherwise does nothing. Must not be called inside `apply`.
  void closeIdleFiles(bool waits);
  // Inside `apply`: creates an empty data file. Numbers and names (at most 255 bytes) are never reused.
  std::shared_ptr<DataFile> createFile(uint32_t number, const std::string &name);
  // Inside `apply`: removes the file from the group. It is deleted when no log needs it any more. Its users may still
  // read it.
  void dropFile(const std::shared_ptr<DataFile> &file);

  // Creates a building file, which one thread fills directly on disk with `write` and `grow`. Outside a commit. It is
  // part of no commit until `adoptFile`; without that, it is deleted with its last user.
  std::shared_ptr<DataFile> createBuildingFile(uint32_t number, const std::string &name);
  // Flushes a building file, once. Later changes stay in memory, and go to the log when the file is adopted.
  void sealBuildingFile(const std::shared_ptr<DataFile> &file) { file->seal(); }
  // Inside `apply`: adds the sealed file and its content to the group in this commit.
  void adoptFile(const std::shared_ptr<DataFile> &file);

  // Deletes every data file that is not among these (sorted) numbers. Called directly after opening for writing.
  void keepOnly(const std::vector<uint32_t> &numbers);

  // -- Verifying (FileGroupVerify.cpp)

  // The checked part of a main file.
  struct Verified {
    int64_t pageCount = 0;  // of the file; 0: there is no main file (yet, or any more)
    int64_t lookedAt = 0;
    std::vector<uint64_t> damaged;
  };
  // Checks up to `count` pages of a main file, from `firstPage` on, against their checksums. Reads both from the disk,
  // in the state of the last checkpoint, and keeps checkpoints from starting. Throws Failure if the file or its
  // checksums cannot be read at all.
  Verified verifyMain(uint32_t number, const std::string &name, int64_t firstPage, int64_t count);

  struct DamagedFile {
    std::string name;
    std::string message;
  };
  // Returns the damaged files other than data files. Returns none for a reader with logs that are not written back yet.
  std::vector<DamagedFile> verifyCompanions();

  // -- Backups (FileGroupBackup.cpp)

  using BackupHold = todana::BackupHold;
  // The files that a copy needs to open at the newest commit. Valid while `hold` is kept.
  struct BackupPlan {
    struct File {
      std::string name;
      int64_t byteCount;  // later bytes belong to later commits
    };
    uint64_t commitNumber = 0;
    std::vector<File> files;
    std::shared_ptr<BackupHold> hold;
  };
  BackupPlan planBackup(const std::function<bool(const std::string &name)> &isWanted);

  // -- Checkpoints, memory and the end

  // Pass the call to Checkpointer.
  void checkpoint() { checkpointer_.checkpoint(); }
  // Writes the log back if that makes room on a full disk. Returns false if it does not.
  bool makeRoom();
  bool renewLogs() { return checkpointer_.renewLogs(); }
  // Releases the memory of all pages that the main files have, too.
  void releaseMemory();
  // Makes everything durable, writes it back, and removes the logs. Only `~FileGroup` may follow.
  void close();

  // Returns the bytes of the disk that commits may use, and that stay free after the write-back of the logs; INT64_MAX
  // for a group in memory. Negative if the disk lacks room for the write-back. Takes a ReadLock.
  int64_t room();
  // Tests whether opening has left the logs as they are, because the disk had no room to write them back.
  bool hadNoRoom() const { return hadNoRoom_; }
  // Returns the number of the newest commit that is durable. Any thread.
  uint64_t durableCommit() const { return state_.flush.flushed(); }
  void throwIfPoisoned() const { state_.poison.throwIfSet(); }
  // In a child of the process that opened the group: tests whether the parent may have changed files since the fork.
  bool mayDifferFromFiles() const { return state_.mainFileChanges.isIncrementedElsewhere(); }
  tdn_statistics statistics();

 private:
  FileGroup(Disk &disk, const Settings &settings) : state_(disk, settings) {}

  // -- Opening (FileGroup.cpp)
  void recover(Report &report);
  void requireRing(CommitRing::Outcome ring) const;
  bool mayResume(const LogIndex &index) const;
  bool tryToResume(const LogIndex &index) TDN_EXCLUDES(state_.commitMutex);
  void resumeLogs(const LogIndex &index) TDN_EXCLUDES(state_.commitMutex);
  const LogIndex::File *loggedFile(uint32_t number) const;

  // -- Committing (FileGroupCommit.cpp)
  void waitForRoom() TDN_REQUIRES(state_.commitMutex);
  void applyChanges(
    const uint8_t batchID[16], const std::function<void()> &apply, const std::function<void()> &undone,
    DiskRoom::Reserve reserve)
    TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void rewriteRepaired() TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void checkCommitLimit() const;
  void requireRoom(DiskRoom::Reserve reserve) TDN_REQUIRES(state_.commitMutex);
  void startLog() TDN_REQUIRES(state_.commitMutex);
  void appendCommit(uint64_t number, const uint8_t batchID[16]) TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void acceptChanges() TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void rollBack() TDN_REQUIRES(state_.commitMutex, state_.stateLock);

  void endBackups();
  bool isInLogs(uint32_t number);
  std::vector<bool> pagesInLogs(uint32_t number, int64_t end) const;

  GroupState state_;
  Checkpointer checkpointer_{state_};
  DirectWrites directWrites_ TDN_GUARDED_BY(state_.commitMutex){state_};
  bool hadNoRoom_ = false;
  std::unique_ptr<LogIndex> overlay_;  // for readers: pages in logs beyond the main files; set once

  // The commit being applied, which belongs to its thread.
  std::atomic<std::thread::id> applyingThread_{};
  const uint8_t *applyingBatch_ = nullptr;
  std::vector<std::shared_ptr<DataFile>> adopted_, dropped_;
};

}  // namespace todana
