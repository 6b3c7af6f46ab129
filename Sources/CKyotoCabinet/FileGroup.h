// The crash-safe layer: the data files of one directory, which commit together through one redo log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "DataFile.h"
#include "Disk.h"

namespace todana {

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
    bool isVolatile = false;  // memory only: no log, no checkpoint
  };

  struct Report {
    uint64_t commitNumber = 0;
    uint64_t recoveredCommits = 0;
    double recoverySeconds = 0;
  };

  // Recovers the directory's files from its logs. Throws Failure.
  static std::unique_ptr<FileGroup> open(Disk &disk, const Settings &settings, Report &report);
  ~FileGroup();

  // Keeps commits from changing memory while it lives. Never taken twice by one thread; held for a millisecond at most.
  class ReadLock {
   public:
    explicit ReadLock(FileGroup &group);
    ~ReadLock();

   private:
    FileGroup &group_;
  };

  enum class Durability { full, relaxed };

  // Runs `apply` with readers excluded; it may write to, create and drop files of the group. Then makes all that it
  // wrote one commit, and waits for the flush (full) after readers have been let in again. If `apply` throws, or the
  // log cannot be written, every file gets its committed content back, `undone` is called (readers still excluded) to
  // let the caller forget what it derived from the content, and the failure is thrown on. Returns the commit's number;
  // if nothing was written, that of the commit before. Throws Failure(TDN_MUST_REOPEN) when a flush fails.
  uint64_t commit(
    const uint8_t batchID[16], Durability durability, const std::function<void()> &apply,
    const std::function<void()> &undone);

  // Opens a data file that a commit created. Throws Failure(TDN_DAMAGED) if it is missing, or shorter than committed.
  // Opening one that is open already gives the same object. Any thread, at any time.
  std::shared_ptr<DataFile> openFile(uint32_t number, const std::string &name);

  // Inside `apply`: creates an empty data file. Numbers and names are never used twice.
  std::shared_ptr<DataFile> createFile(uint32_t number, const std::string &name);

  // Inside `apply`: the file leaves the group. It is unlinked when no log and no holder of it needs it any more.
  void dropFile(const std::shared_ptr<DataFile> &file);

  // Outside a commit: creates a file that one thread fills at leisure, with `write` and `grow`, straight on disk. It
  // is not part of any commit until `adoptFile`; letting it go before that removes it.
  std::shared_ptr<DataFile> createBuildingFile(uint32_t number, const std::string &name);
  // Flushes what has been written so far, so that adopting it later does not take long.
  void flushBuildingFile(const std::shared_ptr<DataFile> &file);
  // Inside `apply`: the building file joins the group, with its content, in this commit.
  void adoptFile(const std::shared_ptr<DataFile> &file);

  uint64_t commitNumber() const;
  // The commit of a batch among the last 1,024, or 0.
  uint64_t outcome(const uint8_t batchID[16]);

  void checkpoint();
  // Everything durable, logs removed. The group cannot be used afterwards.
  void close();

  tdn_statistics statistics();
};

}  // namespace todana
