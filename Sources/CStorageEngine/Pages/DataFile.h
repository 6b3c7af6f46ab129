// One data file of a group: a private mapping of its main file, with changes that are committed through the group's
// log.
//
// No change reaches the main file before a checkpoint (no-steal), except whole new pages of a large commit. Bytes at
// and after `size()` read as zero. A file shrinks by being replaced, or by `cut`.
//
// Threads: `write`, `grow` and `cut` only inside FileGroup::commit's `apply` (one thread, readers excluded); `at`,
// `read`, `verify` and `release` there or under a FileGroup::ReadLock. A building file belongs to the thread that
// builds it. The functions for the group name the lock that they need.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "../Disk/PageSize.h"
#include "../Log/LogIndex.h"
#include "PageRepairs.h"
#include "PageTable.h"
#include "ReadParts.h"
#include "ThroughRange.h"

namespace todana {

struct FileEnvironment;
class LogWriter;
class PageSums;
class RangeRelease;

// An open file. Its pages are checked when they are first read, and its uncommitted changes can be rolled back.
//
// FileGroup makes it. HashFile and PagedFile (Kyoto) and DigestFile (Keyspaces) read and write it. Checkpointer,
// DirectWrites and MemoryLimit release its memory or write its pages. For locks, see the file's comment.
class DataFile : public std::enable_shared_from_this<DataFile> {
 public:
  ~DataFile();
  DataFile(const DataFile &) = delete;
  DataFile &operator=(const DataFile &) = delete;

  uint32_t number() const { return number_; }
  const std::string &name() const { return name_; }

  // Returns the logical size in bytes.
  int64_t size() const { return size_.load(std::memory_order_relaxed); }
  // Returns the size as of the newest commit, which a rollback restores.
  int64_t committedSize() const { return committedSize_; }

  // -- Reading

  // Returns the address of the mapped byte at `offset`. Its page must have been verified.
  const char *at(int64_t offset) const { return base_ + offset; }

  // Verifies the checksum of each page of the range that was not verified since the file was opened. The range must lie
  // within `size()` and not be empty. Throws Failure(TDN_DAMAGED) with file and page.
  void verify(int64_t offset, int64_t byteCount) const {
    for (int64_t page = offset / kPageSize, last = (offset + byteCount - 1) / kPageSize; page <= last; page++) {
      if (!isVerified(page)) verifyPage(page);
    }
  }

  // Tests whether each page of the range matches its checksum. The range must lie within `size()` and not be empty.
  bool isSound(int64_t offset, int64_t byteCount) const {
    for (int64_t page = offset / kPageSize, last = (offset + byteCount - 1) / kPageSize; page <= last; page++) {
      if (!isVerified(page) && !checkPage(page)) return false;
    }
    return true;
  }

  // Copies bytes to `buffer`. Returns false if the range is not within `size()`.
  bool read(int64_t offset, void *buffer, size_t byteCount) const {
    if (offset < 0 || byteCount > static_cast<uint64_t>(size()) || offset > size() - static_cast<int64_t>(byteCount)) {
      return false;
    }
    if (byteCount == 0) return true;
    verify(offset, static_cast<int64_t>(byteCount));
    std::memcpy(buffer, base_ + offset, byteCount);
    return true;
  }

  // Advises the system to read a part of the file that will be needed soon.
  void prefetch(int64_t offset, int64_t byteCount) const;

  // -- Damaged pages

  // Returns a copy of a damaged page with its one wrong bit repaired; null if more bits are wrong. The copy lives as
  // long as the file. The first call for a page takes ten milliseconds. After 256 pages of a file, no others are tried.
  const char *repairedCopy(int64_t page) const;
  // Inside `apply`, before any change: repairs the one wrong bit of a damaged page in memory. The next commit that
  // changes anything repairs the page on disk. Returns false if the page is not damaged, or if more bits are wrong.
  bool repairPage(int64_t page);
  // Inside `apply`, before any change: accepts the bytes of a damaged page as they are. The next commit stores their
  // checksum. The caller knows that only values are damaged. Returns false if the page is not damaged.
  bool acceptPage(int64_t page);
  // Returns the number of pages that were repaired or accepted.
  uint32_t repairCount() const { return repairs_.count(); }
  // Sets the end of the pages whose single wrong bits are repaired when they are read (PageRepairs::setEnd).
  void repairUpTo(int64_t end) { repairs_.setEnd(end); }

  // -- Memory

  // Releases the memory of a large part that was read, except pages that only memory has. Later reads map the pages
  // again, without verifying their checksums again.
  void release(int64_t offset, int64_t byteCount) const;
  // Releases the memory of all parts, and of the checksums.
  void releaseAll() const;
  // Releases the memory of all parts that were read since the last release.
  void releaseSeen() const;
  // Releases the memory of a large value that was read, with the pages around it that the system has read, too.
  void releaseRead(int64_t offset, int64_t byteCount) const;
  // Notes that the header of a large record was read. Each such header brings a piece of the file into memory, so every
  // eighth call releases all parts.
  void noteLargeRecord() const;
  // Notes that a place was read on the way to a record. This has an effect only if memory is limited, and only in large
  // files: their read parts are released when memory has grown.
  void noteLook(int64_t offset) const {
    if (!limitsMemory_ || size() < kMuchMemory || readParts_.contains(offset)) return;
    noteSeen(offset);
  }

  // -- Changing

  // Writes bytes. The file grows if the range ends after `size()`.
  void write(int64_t offset, const void *bytes, size_t byteCount);
  // Extends the file to at least `size` bytes. New bytes are zero.
  void grow(int64_t size);
  // Cuts the file at `size`, a multiple of the page size before its end. The bytes after it read as zeros, and the next
  // checkpoint frees their space. The file cannot grow in the same commit. Throws Failure(TDN_INVALID).
  void cut(int64_t size);

  // Returns the number of bytes by which a building file of this length is extended. The file has at most this much
  // allocated but unused disk space.
  static int64_t buildingStep(int64_t byteCount);

  // -- For the group: lifetime

  // Opens a committed file. `logged`: the changes that the logs have beyond the main file, or null: of a reader, or of a
  // writer whose disk is full. Throws
  // Failure(TDN_DAMAGED) if the file is missing, or shorter than committed.
  static std::shared_ptr<DataFile> open(
    FileEnvironment &environment, uint32_t number, const std::string &name, const LogIndex::File *logged);
  // Creates an empty file that belongs to the commit being applied.
  static std::shared_ptr<DataFile> create(FileEnvironment &environment, uint32_t number, const std::string &name);
  // Creates a building file, which one thread fills directly on disk. It is removed with its last user unless it is
  // adopted.
  static std::shared_ptr<DataFile> createBuilding(FileEnvironment &environment, uint32_t number, const std::string &name);
  // Flushes a building file. Later changes stay in memory, and go to the log when the file is adopted.
  void seal();
  bool isBuilding() const { return state_ == State::building; }
  bool isDropped() const { return state_ == State::dropped; }
  // Inside `apply`: removes the file from the group in this commit, which may still be rolled back.
  void drop();
  void undoDrop();

  // -- For the group: the commit being applied, called by its thread

  // Return the size of the new whole pages at the end of the file, and the number of changed stored pages. Both are 0
  // for building and dropped files, which do not go through the log.
  int64_t newByteCount() const;
  int64_t changedPageCount() const;
  // Returns the number of bytes that the changes of stored pages, and the checksums of directly written pages, take in
  // the log.
  int64_t changedByteCount() const;
  // Returns the disk space that the main file and its checksums need for the newest content, in addition to what they
  // have.
  int64_t growthBeyondMain() const;
  // Tests whether the next checkpoint must cut bytes off the main file that recovery may still need.
  bool isCutPending() const { return cutGeneration_ != 0; }
  // Tests whether the main file's name may not be durable yet.
  bool mayLackName() const { return mainEnd_ == 0; }
  // Tests whether pages were repaired when they were read. `rewriteRepaired` adds them to the commit.
  bool hasRepairs() const { return !repairs_.isEmpty(); }
  void rewriteRepaired();
  // Appends the file's part of the commit. `isDirect`: without its new pages, which DirectWrites writes. `isStrict`:
  // pages that the log does not have yet are written whole, so that the log alone suffices to repair a torn page.
  void appendTo(LogWriter &log, bool isDirect, bool isStrict);
  // -- For DirectWrites (DataFileDirect.cpp)
  // Tests whether new pages of the commit are in the main file already.
  bool isWrittenThrough() const { return !through_.empty() && !isDropped(); }
  // Returns the checksums of the new pages.
  std::vector<uint64_t> newPageSums() const;
  // Writes the new pages to the main file, except those that were written through.
  void writeNewPages(DiskFile &main) const;

  // Makes the changes the committed content. `generation`: the generation of the log with the changes; 0 without a log.
  // Returns the increase in the number of pages that exist only in memory. It can be negative for a dropped or cut
  // file.
  int64_t accept(uint64_t generation);
  // Makes a sealed building file a normal one. Called first, so that its last user does not remove it.
  void adopt() { state_ = State::normal; }
  // Completes the adoption after `accept`.
  void finishAdopting();
  // Restores the committed content. Drops a file that the commit has created.
  void rollBack();

  // -- For the group: checkpoints, with readers excluded

  // Maps the main file up to `end`, after a checkpoint has written this content. Pages that have changed since the log
  // of generation `writtenBack` keep their private copies.
  void mapMain(int64_t end, uint64_t writtenBack);
  // Releases the private copies of those `pages` that have not changed since the log of `generation`. Returns the
  // number of released pages.
  int64_t releaseWrittenBack(const std::vector<uint32_t> &pages, uint64_t generation);
  // Returns the number of pages that exist only in memory.
  int64_t privatePageCount() const;
  // Returns the newest log generation that mentions the file. Any thread.
  uint64_t lastGeneration() const { return lastGeneration_; }

 private:
  enum class State {
    fresh,     // created by the commit being applied; may have no main file yet
    normal,
    building,  // belongs to one thread; a shared mapping until it is sealed
    dropped,
  };

  DataFile(FileEnvironment &environment, uint32_t number, std::string name, State state);

  // -- Mapping (DataFileMapping.cpp)
  // Maps the content of the main file. `main`: null if there is none yet.
  void map(DiskFile *main, int64_t size);
  void reserve(int64_t size);
  void moveTo(char *base, int64_t reserved);
  void mapPart(DiskFile &main, int64_t end);
  void mapRange(DiskFile &main, int64_t start, int64_t end);
  void mapZeros(int64_t start, int64_t end);
  void growPageTables(int64_t reserved);
  void applyLog(const LogIndex::File &logged, int64_t inMain);

  // -- Changes
  void writeLarge(int64_t offset, int64_t end, const char *bytes);
  void writePages(int64_t offset, int64_t end, const char *bytes);
  void writePart(int64_t page, int64_t first, int64_t end, const char *bytes);
  bool writeThrough(int64_t start, int64_t end, const char *bytes);
  void undoThrough();
  int64_t throughByteCount() const;
  bool notesChanges() const { return state_ != State::building || isSealed_; }
  bool isDirty() const { return !dirtyPages_.empty() || size() != committedSize_ || state_ == State::fresh; }
  bool isCut() const { return size() < committedSize_; }
  void markDirty(int64_t page, uint64_t blocks);
  void noteFirstChange();
  void saveOldBlocks(int64_t page, uint64_t blocks);
  void restore();
  void forgetChanges();
  int64_t acceptPages(uint64_t generation);
  int64_t acceptCut(uint64_t generation);
  bool isUnsealed() const { return isBuilding() && !isSealed_; }

  // -- Pages that the main file has as holes, since later pages were written directly
  void noteHoles(int64_t start, int64_t end);
  void countHoles(uint64_t writtenBack);

  // -- Pages that exist only in memory
  // Tests whether the main file has the page's committed content, so that releasing the private copy restores it.
  bool isInMainFile(int64_t page) const {
    return loggedGeneration_[page] == 0 && (page + 1) * kPageSize <= mainEnd_ && !repairs_.contains(page);
  }
  // Marks a page as correct only in memory, because the main file has not been updated. A reader's main file never is.
  void keepInMemory(int64_t page, uint32_t generation);
  void setLogged(int64_t page, uint32_t generation) {
    uint32_t &logged = loggedGeneration_[page];
    keptInPiece_[page / kPiecePages] += static_cast<uint16_t>((generation != 0) - (logged != 0));
    logged = generation;
  }
  // Clears the generations of all pages from `firstPage` on. Returns the number of pages that had one.
  int64_t forgetLogged(int64_t firstPage);

  // -- Checksums
  bool isVerified(int64_t page) const {
    return (__atomic_load_n(&verified_[page >> 6], __ATOMIC_ACQUIRE) >> (page & 63)) & 1;
  }
  void setVerified(int64_t page) const {
    __atomic_fetch_or(&verified_[page >> 6], 1ULL << (page & 63), __ATOMIC_RELEASE);
  }
  void verifyPage(int64_t page) const;
  bool checkPage(int64_t page) const;
  bool hasRightSum(int64_t page) const;  // as it is, or after a repair
  bool isDamaged(int64_t page) const;

  void noteSeen(int64_t offset) const;
  void release(int64_t offset, int64_t byteCount, RangeRelease &ranges) const;

  // The size of the pieces that are released: the kernel maps at most this much of its cache around a page that is
  // read.
  static constexpr int64_t kPiecePages = 512;
  static constexpr int64_t kPieceSize = kPiecePages * kPageSize;
  static constexpr int64_t kMuchMemory = 16 << 20;

  FileEnvironment &environment_;
  const uint32_t number_;
  const bool limitsMemory_, repairsBits_;
  const std::string name_;
  State state_;
  bool isDirect_ = false;  // DirectWrites writes its new pages in the commit being applied
  bool isSealed_ = false;  // a building file that is on disk, except for the noted changes
  bool wasFresh_ = false;  // whether it was fresh before the commit being applied dropped it
  std::atomic<uint64_t> lastGeneration_{0};

  char *base_ = nullptr;
  int64_t reserved_ = 0;   // bytes of address space
  int64_t mainEnd_ = 0;    // [0, mainEnd_) maps the main file, the rest is anonymous zeros
  // The pages between these offsets that a log has, and the main file only as holes. Their number may be too large.
  int64_t holesStart_ = 0, holesEnd_ = 0, holeCount_ = 0;
  // Until the checkpoint of `cutGeneration_`, the main file has stale bytes from `cutEnd_` on, which must not be
  // mapped.
  uint64_t cutGeneration_ = 0;
  int64_t cutEnd_ = 0;
  std::atomic<int64_t> size_{0};
  int64_t committedSize_ = 0;

  // Tables for the pages of the reserved space.
  PageTable<uint64_t> dirtyBlocks_;       // by page: changed blocks since the last commit, one bit each
  PageTable<uint32_t> loggedGeneration_;  // by page: newest log with it; 0: the main file is current
  PageTable<uint16_t> keptInPiece_;       // by piece: the number of its pages with a log generation
  mutable PageTable<uint64_t> verified_;  // one bit for each page, 64 in an entry

  std::vector<uint32_t> dirtyPages_;
  struct OldBlock {
    int64_t offset;
    char bytes[64];
  };
  std::vector<ThroughRange> through_;  // in ascending order
  std::vector<OldBlock> oldBlocks_;    // for a rollback: committed content that the main file does not have

  mutable PageRepairs repairs_;
  mutable ReadParts readParts_;
  mutable std::atomic<uint32_t> largeRecordCount_{0};

  std::shared_ptr<PageSums> sums_;
  std::unique_ptr<DiskFile> buildingFile_;  // null after sealing
  bool isMappedSafely_ = true;              // stores into the mapping of a building file find room
  std::vector<uint64_t> sealedSums_;        // checksums of its pages when it was sealed
};

}  // namespace todana
