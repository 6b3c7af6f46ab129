// The crash-safe layer: the data files of one directory, which commit together through one redo log.
//
// A commit is in memory (private mappings) and in the log; a checkpoint writes it back to the main files. Two logs
// alternate, so that commits go on during a checkpoint. docs/architecture/storage.md describes both.
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

// The open group. A commit is applied entirely or not at all over all files; readers see the state of one commit.
//
// Session owns it, and closes it. Session and the classes of Keyspaces, Commit and Rebuild commit through it and use
// its files; Cabinet plans backups. Any thread, except that functions marked `Inside apply` belong to the committing
// thread, and `keepOnly` and `close` to the session that opens or closes.
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
  // Leaves the files as a killed process would, unless `close` was called. No data file may have a user any more.
  ~FileGroup();
  FileGroup(const FileGroup &) = delete;
  FileGroup &operator=(const FileGroup &) = delete;

  // A shared hold of the state lock: commits change no memory while it lives. Never taken twice by one thread; held for
  // a millisecond at most. Throws Failure(TDN_MUST_REOPEN) after a failed flush.
  class ReadLock {
   public:
    explicit ReadLock(FileGroup &group) : lock_(group.state_.stateLock) { group.throwIfPoisoned(); }

   private:
    ReaderWriterLock::Shared lock_;
  };

  // A ReadLock for code that may run inside `apply`, where readers are excluded already.
  class ReadLockUnlessApplying {
   public:
    explicit ReadLockUnlessApplying(FileGroup &group) {
      if (group.applyingThread_.load(std::memory_order_relaxed) != std::this_thread::get_id()) lock_.emplace(group);
    }

   private:
    std::optional<ReadLock> lock_;
  };

  // The time at which a commit is flushed: before `commit` returns; within a second; or with the next flush.
  enum class Durability { full, relaxed, bulk };

  // -- Commits

  // Runs `apply` with readers excluded; it may write to, create, adopt and drop files of the group. Then makes all that
  // it wrote one commit, and waits for the flush (full) after readers have been let in again. If `apply` throws, or the
  // log cannot be written, every file gets its committed content back, `undone` is called (readers still excluded) to
  // let the caller forget what it derived from the content, and the failure is thrown on. Returns the commit's number;
  // if nothing was written, that of the commit before. Throws Failure(TDN_MUST_REOPEN) when a flush fails.
  uint64_t commit(
    const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
    const std::function<void()> &undone);

  // The commit being applied, and whether it has changed anything so far. Inside `apply`.
  struct Applying {
    uint64_t commitNumber;
    const uint8_t *batchID;
    bool hasChanges;
  };
  Applying applying() const { return {state_.ring.newest() + 1, applyingBatch_, !state_.files.changed.empty()}; }

  uint64_t commitNumber() const { return state_.ring.newest(); }
  // Returns the batch of one of the last 1,024 commits.
  std::optional<CommitRing::BatchID> batchID(uint64_t commitNumber) const { return state_.ring.batchID(commitNumber); }
  // Returns the commit of a batch among the last 1,024, or 0. Throws Failure(TDN_MUST_REOPEN) after a failed flush:
  // recovery has to tell whether the commits that it was for count.
  uint64_t outcome(const uint8_t batchID[16]) const;
  // Waits until everything committed is on disk.
  void flush() { state_.flush.flush(); }

  // -- Files

  // Opens a data file that a commit created. Throws Failure(TDN_DAMAGED) if it is missing, or shorter than committed.
  // Opening a file that is open already gives the same object. Any thread, at any time.
  std::shared_ptr<DataFile> openFile(uint32_t number, const std::string &name);
  // Closes data files that have no other user and whose committed pages are all in their main file. If a commit is
  // running, waits for it (`waits`) or does nothing. Must not be called inside `apply`.
  void closeIdleFiles(bool waits);
  // Inside `apply`: creates an empty data file. Numbers and names (at most 255 bytes) are never used twice.
  std::shared_ptr<DataFile> createFile(uint32_t number, const std::string &name);
  // Inside `apply`: the file leaves the group. It is removed when no log needs it any more; its users may still read
  // it.
  void dropFile(const std::shared_ptr<DataFile> &file);

  // Outside a commit: creates a file that one thread fills, with `write` and `grow`, directly on disk. It is not part
  // of any commit until `adoptFile`; without that, it is removed with its last user.
  std::shared_ptr<DataFile> createBuildingFile(uint32_t number, const std::string &name);
  // Flushes a building file, once. Later changes are in memory, and go to the log when the file is adopted.
  void sealBuildingFile(const std::shared_ptr<DataFile> &file) { file->seal(); }
  // Inside `apply`: the sealed file joins the group, with its content, in this commit.
  void adoptFile(const std::shared_ptr<DataFile> &file);

  // Right after opening for writing: removes every data file that is not among these (sorted) numbers.
  void keepOnly(const std::vector<uint32_t> &numbers);

  // -- Verifying (FileGroupVerify.cpp)

  // A part of a main file, read again.
  struct Verified {
    int64_t pageCount = 0;  // of the file; 0: there is no main file (yet, or any more)
    int64_t lookedAt = 0;
    std::vector<uint64_t> damaged;
  };
  // Checks pages of a main file against their checksums, by reading both: up to `count` from `firstPage` on. It reads
  // the state of the last checkpoint, and no checkpoint begins meanwhile. Throws Failure if the file or its checksums
  // cannot be read at all.
  Verified verifyMain(uint32_t number, const std::string &name, int64_t firstPage, int64_t count);

  struct DamagedFile {
    std::string name;
    std::string message;
  };
  // Returns the damaged files that stand beside the data files. Leaves out files that a log which was not written back
  // yet may concern.
  std::vector<DamagedFile> verifyCompanions();

  // -- Backups (FileGroupBackup.cpp)

  using BackupHold = todana::BackupHold;
  // The files that a copy needs so that opening it gives the newest commit; valid while `hold` is kept.
  struct BackupPlan {
    struct File {
      std::string name;
      int64_t byteCount;  // bytes behind it belong to later commits
    };
    uint64_t commitNumber = 0;
    std::vector<File> files;
    std::shared_ptr<BackupHold> hold;
  };
  BackupPlan planBackup(const std::function<bool(const std::string &name)> &isWanted);

  // -- Checkpoints, memory and the end

  // Passes the call on to Checkpointer.
  void checkpoint() { checkpointer_.checkpoint(); }
  bool renewLogs() { return checkpointer_.renewLogs(); }
  // Releases the memory of all pages that the main files have as well.
  void releaseMemory();
  // Makes everything durable and writes it back; the logs are removed. Only `~FileGroup` may follow.
  void close();

  // Returns the free bytes of the disk; the largest number for a group in memory.
  int64_t room() { return state_.settings.isVolatile ? INT64_MAX : state_.disk.room(); }
  void throwIfPoisoned() const { state_.poison.throwIfSet(); }
  tdn_statistics statistics();

 private:
  FileGroup(Disk &disk, const Settings &settings) : state_(disk, settings) {}

  // -- Opening (FileGroup.cpp)
  void recover(Report &report);
  void requireRing(CommitRing::Outcome ring) const;
  const LogIndex::File *loggedFile(uint32_t number) const;

  // -- Committing (FileGroupCommit.cpp)
  void waitForRoom() TDN_REQUIRES(state_.commitMutex);
  void applyChanges(const uint8_t batchID[16], const std::function<void()> &apply, const std::function<void()> &undone)
    TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void rewriteRepaired() TDN_REQUIRES(state_.commitMutex, state_.stateLock);
  void checkCommitLimit() const;
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
  std::unique_ptr<LogIndex> overlay_;  // read-only: the pages that the logs hold beyond the main files; set once

  // The commit being applied, which belongs to its thread.
  std::atomic<std::thread::id> applyingThread_{};
  const uint8_t *applyingBatch_ = nullptr;
  std::vector<std::shared_ptr<DataFile>> adopted_, dropped_;
};

}  // namespace todana
