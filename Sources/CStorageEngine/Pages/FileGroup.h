// The crash-safe layer: the data files of one directory, which commit together through one redo log.
//
// A commit stands in memory (private mappings) and in the log; a checkpoint carries it into the main files. Two logs
// alternate, so that commits go on while a checkpoint carries the other one. ARCHITECTURE.md tells the life of a save.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "../Disk/Disk.h"
#include "../Disk/ReaderWriterLock.h"
#include "../Log/CommitRing.h"
#include "../Log/LogWriter.h"
#include "../include/StorageEngineMaintenance.h"
#include "DataFile.h"
#include "MappedMemory.h"

namespace todana {

class LogIndex;

class FileGroup {
 public:
  struct Settings {
    int64_t logLimit = 64 << 20;
    int64_t privateLimit = 128 << 20;
    int64_t commitLimit = 1 << 30;
    int64_t directThreshold = 1 << 20;
    int64_t sectorSize = 512;
    bool strict = false;
    bool readOnly = false;
    bool sparesMemory = false;
    bool mendsBits = false;
    bool isVolatile = false;  // memory only: no log, no checkpoint
    // Names of data files that only commits create, the first one among them. Their checksums are there from the first
    // checkpoint on, which tells a store that has lost its list of commits from a new one.
    std::vector<std::string> firstFiles;
  };

  struct Report {
    uint64_t commitNumber = 0;
    uint64_t recoveredCommits = 0;
    double recoverySeconds = 0;
  };

  // Recovers the directory's files from its logs. Throws Failure.
  static std::unique_ptr<FileGroup> open(Disk &disk, const Settings &settings, Report &report);
  // Without `close`: as if the process had been killed. Every data file must have been let go.
  ~FileGroup();
  FileGroup(const FileGroup &) = delete;
  FileGroup &operator=(const FileGroup &) = delete;

  // Keeps commits from changing memory while it lives. Never taken twice by one thread; held for a millisecond at most.
  // Throws Failure(TDN_MUST_REOPEN) after a failed flush.
  class ReadLock {
   public:
    explicit ReadLock(FileGroup &group) : lock_(group.stateLock_) { group.throwIfPoisoned(); }

   private:
    ReaderWriterLock::Shared lock_;
  };

  // The same for code that may run inside `apply`, where readers are excluded already.
  class ReadLockUnlessApplying {
   public:
    explicit ReadLockUnlessApplying(FileGroup &group) {
      if (group.applyingThread_.load(std::memory_order_relaxed) != std::this_thread::get_id()) lock_.emplace(group);
    }

   private:
    std::optional<ReadLock> lock_;
  };

  // When a commit is flushed: before `commit` returns; within a second; or with whatever is flushed next.
  enum class Durability { full, relaxed, bulk };

  // Runs `apply` with readers excluded; it may write to, create, adopt and drop files of the group. Then makes all that
  // it wrote one commit, and waits for the flush (full) after readers have been let in again. If `apply` throws, or the
  // log cannot be written, every file gets its committed content back, `undone` is called (readers still excluded) to
  // let the caller forget what it derived from the content, and the failure is thrown on. Returns the commit's number;
  // if nothing was written, that of the commit before. Throws Failure(TDN_MUST_REOPEN) when a flush fails.
  uint64_t commit(
    const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
    const std::function<void()> &undone);

  // Opens a data file that a commit created. Throws Failure(TDN_DAMAGED) if it is missing, or shorter than committed.
  // Opening one that is open already gives the same object. Any thread, at any time.
  std::shared_ptr<DataFile> openFile(uint32_t number, const std::string &name);

  // Lets go of data files that nobody holds and that are wholly in their main files. Not inside `apply`. `waits` false:
  // does nothing where a commit is running.
  void closeIdleFiles(bool waits);

  // Inside `apply`: creates an empty data file. Numbers and names (at most 255 bytes) are never used twice.
  std::shared_ptr<DataFile> createFile(uint32_t number, const std::string &name);

  // Inside `apply`: the file leaves the group. It is unlinked when no log needs it any more; holders may go on reading.
  void dropFile(const std::shared_ptr<DataFile> &file);

  // Outside a commit: creates a file that one thread fills at leisure, with `write` and `grow`, straight on disk. It
  // is not part of any commit until `adoptFile`; letting it go before that removes it.
  std::shared_ptr<DataFile> createBuildingFile(uint32_t number, const std::string &name);
  // Flushes it, once. What is written later stands in memory, and goes to the log when the file is adopted.
  void sealBuildingFile(const std::shared_ptr<DataFile> &file);
  // Inside `apply`: the sealed file joins the group, with its content, in this commit.
  void adoptFile(const std::shared_ptr<DataFile> &file);

  // Right after opening for writing: removes every data file that is not among these (sorted) numbers.
  void keepOnly(const std::vector<uint32_t> &numbers);

  // Inside `apply`: what the commit is, and whether it has changed anything so far.
  struct Applying {
    uint64_t commitNumber;
    const uint8_t *batchID;
    bool hasChanges;
  };
  Applying applying() const { return {ring_.newest() + 1, applyingBatch_, !changed_.empty()}; }

  uint64_t commitNumber() const { return ring_.newest(); }
  // Of one of the last 1,024 commits.
  std::optional<CommitRing::BatchID> batchID(uint64_t commitNumber) const { return ring_.batchID(commitNumber); }
  // The commit of a batch among the last 1,024, or 0. Throws Failure(TDN_MUST_REOPEN) after a failed flush: whether what
  // it was to flush counts, recovery has to say.
  uint64_t outcome(const uint8_t batchID[16]) const {
    throwIfPoisoned();
    return ring_.find(batchID);
  }
  // Waits until everything committed is on disk.
  void flush();

  // A part of a main file, read anew.
  struct Verified {
    int64_t pageCount = 0;  // of the file; 0: there is no main file (yet, or any more)
    int64_t lookedAt = 0;
    std::vector<uint64_t> damaged;
  };
  // Checks pages of a main file against their checksums, by reading both: up to `count` from `firstPage` on. What was
  // carried there by the last checkpoint is looked at, and no checkpoint begins meanwhile. Throws Failure where the
  // file or its checksums cannot be read at all.
  Verified verifyMain(uint32_t number, const std::string &name, int64_t firstPage, int64_t count);

  // What is wrong with the files that stand beside the data files, each with what it is. What a log that nobody has
  // carried yet may be about is not looked at.
  struct DamagedFile {
    std::string name;
    std::string message;
  };
  std::vector<DamagedFile> verifyCompanions();

  // Keeps checkpoints from starting as long as it lives, except the one of closing, which ends it.
  struct BackupHold {
    explicit BackupHold(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) { ++*count_; }
    ~BackupHold() { --*count_; }
    std::atomic<bool> hasEnded{false};

   private:
    const std::shared_ptr<std::atomic<int>> count_;
  };
  // What a copy of the files has to hold so that opening it gives the newest commit; good while `hold` is kept.
  struct BackupPlan {
    struct File {
      std::string name;
      int64_t byteCount;  // what comes behind is of later commits
    };
    uint64_t commitNumber = 0;
    std::vector<File> files;
    std::shared_ptr<BackupHold> hold;
  };
  BackupPlan planBackup(const std::function<bool(const std::string &name)> &isWanted);

  // Does nothing while a backup is made, which would be without what the checkpoint moves.
  void checkpoint();
  // The same, where something was committed since; then both logs are new files, with nothing of what stood in the old
  // ones. False, and nothing has changed, where that has to wait: for a backup, or for another commit.
  bool renewLogs();
  // Lets go of the memory of all pages that are as the main files have them.
  void releaseMemory();
  // Everything durable and in the main files, logs removed. Only `~FileGroup` may follow.
  void close();

  // Bytes that the disk still takes; the largest number where nothing goes to a disk.
  int64_t room() { return settings_.isVolatile ? INT64_MAX : disk_.room(); }
  void throwIfPoisoned() const;
  tdn_statistics statistics();

 private:
  friend class DataFile;

  FileGroup(Disk &disk, const Settings &settings);

  // -- Opening (FileGroup.cpp)
  void recover(Report &report);
  void requireRing(CommitRing::Outcome ring) const;

  // -- For DataFile
  // A part of the file was looked at, perhaps many times: lets go of what was looked at in all files where that is much.
  void spareMemory(const DataFile &file);
  void releaseFilling();  // what building files have in memory
  void noteFilled(const DataFile &file);
  void noteChanged(DataFile *file) { changed_.push_back(file->shared_from_this()); }
  std::unique_ptr<DiskFile> openMain(const std::string &name) { return disk_.open(name, Disk::Mode::read); }
  void removeLeftover(const std::string &name);
  void removeQuietly(const std::string &name);
  void endBuilding(const std::string &name);

  // -- Committing (FileGroupCommit.cpp); all under commitMutex_
  struct Direct {
    DataFile *file;
    std::unique_ptr<DiskFile> main;  // null where many files are written: opened again for the flush
  };
  void requireWritable() const;
  void checkCommitLimit() const;
  void startLog();
  std::unique_ptr<LogWriter> openLog(uint64_t generation);  // any thread
  void waitForRoom(std::unique_lock<std::mutex> &commitLock);
  void writeCommit(uint64_t number, const uint8_t batchID[16]);
  bool isLargeCommit() const;
  bool writesDirectly(const DataFile &file) const;
  void writePages(DataFile &file, int64_t endPage);
  bool writeDirectly(DataFile &file, int64_t firstPage);
  void rewriteMended();
  void acceptChanges();
  void rollBack();
  void finishDirect();
  [[noreturn]] void poison(const char *reason);

  // -- Flushing (FileGroupFlush.cpp)
  void flushTo(uint64_t number);

  // -- Backups (FileGroupBackup.cpp)
  void endBackups();
  std::optional<int64_t> committedEnd(const std::string &name);

  // -- Verifying (FileGroupVerify.cpp)
  bool isInLogs(uint32_t number);
  std::vector<bool> pagesInLogs(uint32_t number, int64_t end);

  // -- Checkpoints (FileGroupCheckpoint.cpp)
  struct ClosingLog {
    uint64_t generation = 0;  // 0: none
    int64_t tail = 0;
  };
  // What the log that is closed goes on in.
  enum class NextLog { none, reused, fresh };
  void checkpoint(NextLog next);
  uint64_t carryClosed(NextLog next);
  ClosingLog closeLog(NextLog next);
  void switchLog(std::unique_ptr<LogWriter> next);
  void carry(uint64_t generation, int64_t tail);
  void releasePrivatePages(const LogIndex &index, uint32_t generation);
  void releasePages(DataFile &file, const std::vector<uint32_t> &pages, uint32_t generation);
  void mapCarried(DataFile &file, int64_t end, uint32_t carried);
  std::vector<std::string> takeDropped(uint64_t generation);
  void runBackground();
  bool startBackground();
  void stopBackground();
  bool needsCheckpoint() const;

  Disk &disk_;
  const Settings settings_;
  CommitRing ring_;
  std::unique_ptr<LogIndex> overlay_;  // read-only: what the logs hold beyond the main files

  ReaderWriterLock stateLock_;         // readers of mappings / whoever changes them
  std::atomic<std::thread::id> applyingThread_{};  // the one inside `apply`
  std::mutex commitMutex_;             // one commit at a time; taken before stateLock_
  std::mutex checkpointMutex_;         // one checkpoint at a time; taken before commitMutex_

  const std::unique_ptr<MappedMemory> mappedMemory_;  // where memory is spared
  std::mutex sparingMutex_;                           // taken last but for filesMutex_, which is only tried
  std::shared_mutex mendingLock_;                     // whoever mends a page / lets go of pages; none is taken behind it
  std::mutex fillingMutex_;                           // taken last but for mendingLock_
  std::set<const DataFile *> filling_;                // building files, until they are sealed

  std::mutex filesMutex_;
  std::map<uint32_t, std::shared_ptr<DataFile>> files_;
  std::set<std::string> buildingNames_;  // of files that belong to no commit yet

  // Under commitMutex_:
  std::unique_ptr<LogWriter> log_;
  uint64_t nextGeneration_ = 1;
  std::atomic<bool> lastCheckpointFailed_{false};
  ClosingLog closing_;
  const uint8_t *applyingBatch_ = nullptr;
  std::vector<std::shared_ptr<DataFile>> changed_;
  std::vector<Direct> direct_;
  std::vector<std::shared_ptr<DataFile>> adopted_, dropping_;
  struct Dropped {
    std::string name;
    uint64_t generation;
  };
  std::vector<Dropped> dropped_;
  bool closed_ = false;

  // Group commit: one flush serves all that wait.
  void gather(std::unique_lock<std::mutex> &lock);
  std::mutex flushMutex_;
  std::condition_variable flushDone_;
  std::condition_variable flushGathered_;
  int flushWaiting_ = 0;   // threads that wait for a flush of another one
  int flushExpected_ = 1;  // how many there were, with the flushing one, at the end of the last flush
  std::chrono::nanoseconds flushTime_{0};  // that it took
  std::shared_ptr<DiskFile> flushFile_;
  uint64_t appended_ = 0;
  std::atomic<uint64_t> flushed_{0};
  bool flushing_ = false;
  std::atomic<bool> poisoned_{false};
  std::string poisonReason_;           // written before poisoned_ is set

  // Background thread: checkpoints by limits, and the flush of relaxed commits.
  std::thread background_;
  std::mutex backgroundMutex_;
  std::condition_variable backgroundWake_;
  std::condition_variable roomMade_;
  bool stopping_ = false;
  bool checkpointWanted_ = false;
  bool relaxedPending_ = false;

  const std::shared_ptr<std::atomic<int>> backupCount_ = std::make_shared<std::atomic<int>>(0);
  std::vector<std::weak_ptr<BackupHold>> backups_;  // under checkpointMutex_

  std::atomic<int64_t> privatePages_{0};
  std::atomic<int64_t> liveLogBytes_{0};
  std::atomic<uint64_t> commits_{0}, logBytes_{0}, directBytes_{0}, flushes_{0}, checkpoints_{0}, checkpointBytes_{0};
};

}  // namespace todana
