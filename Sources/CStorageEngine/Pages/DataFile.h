// One data file of a group: a private mapping of its main file, which commits through the group's log.
//
// Nothing that is written here reaches the main file before a checkpoint (no-steal), except whole new pages of a large
// commit. Bytes at and after `size()` read as zero. A file shrinks by being replaced, or by `cut`.
//
// Threads: `write`, `grow`, `cut` only inside FileGroup::commit's `apply` (one thread, readers excluded); `at`, `read`,
// `verify`, `release` there or under a FileGroup::ReadLock. A building file belongs to the thread that builds it. The
// functions for the group say under which of its locks they are called.
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

namespace todana {

struct FileEnvironment;
class LogWriter;
class PageSums;
class RangeRelease;

// An open file, whose pages are checked when they are first read, and whose uncommitted changes can be rolled back.
//
// FileGroup makes it; HashFile and PagedFile (Kyoto) and DigestFile (Keyspaces) read and write it; Checkpointer,
// DirectWrites and MemoryLimit release its memory or write its pages. The comment above says under which lock.
class DataFile : public std::enable_shared_from_this<DataFile> {
 public:
  ~DataFile();
  DataFile(const DataFile &) = delete;
  DataFile &operator=(const DataFile &) = delete;

  uint32_t number() const { return number_; }
  const std::string &name() const { return name_; }

  // Logical size in bytes.
  int64_t size() const { return size_.load(std::memory_order_relaxed); }
  // Returns the bytes as of the newest commit, to which a rollback returns.
  int64_t committedSize() const { return committedSize_; }

  // -- Reading

  // Returns the address of the mapped byte at `offset`. Its page must have been verified.
  const char *at(int64_t offset) const { return base_ + offset; }

  // Checks the checksum of each page of the range that has not been checked since the file was opened.
  // Throws Failure(TDN_DAMAGED) with file and page. The range must lie within `size()` and not be empty.
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

  // Copies bytes out. Returns false if the range is not within `size()`.
  bool read(int64_t offset, void *buffer, size_t byteCount) const {
    if (offset < 0 || byteCount > static_cast<uint64_t>(size()) || offset > size() - static_cast<int64_t>(byteCount)) {
      return false;
    }
    if (byteCount == 0) return true;
    verify(offset, static_cast<int64_t>(byteCount));
    std::memcpy(buffer, base_ + offset, byteCount);
    return true;
  }

  // Asks the system to read a part of the file that will be needed soon. Only a hint.
  void prefetch(int64_t offset, int64_t byteCount) const;

  // -- Damaged pages

  // Returns a copy of a damaged page without its one wrong bit; null if more than one bit is wrong. Takes ten
  // milliseconds for each page, once; after 256 pages of a file no others are tried. The copy lives as long as the
  // file.
  const char *repairedCopy(int64_t page) const;
  // Inside `apply`, before any change: repairs the one wrong bit of a damaged page, in memory and with the next commit
  // that changes anything. Returns false if the page is not damaged, or more than one bit is wrong.
  bool repairPage(int64_t page);
  // Inside `apply`, before any change: takes the bytes of a damaged page as they are, and its checksum with the next
  // commit. The caller knows that values alone are damaged. Returns false if the page is not damaged.
  bool acceptPage(int64_t page);
  // Counts the pages that were repaired or accepted.
  uint32_t repairCount() const { return repairs_.count(); }
  // Sets the end of the pages whose single wrong bits are repaired when they are read (PageRepairs::setEnd).
  void repairUpTo(int64_t end) { repairs_.setEnd(end); }

  // -- Memory

  // Releases the memory of a large part that was read: of whole pages that the main file has as well. Later reads map
  // them again, and do not check their checksums again.
  void release(int64_t offset, int64_t byteCount) const;
  // Releases all parts, and the checksums.
  void releaseAll() const;
  // Releases all parts that were read since the last release.
  void releaseSeen() const;
  // Releases a large value that was read, with the pages around it that the system has brought into memory.
  void releaseRead(int64_t offset, int64_t byteCount) const;
  // Notes that the head of a large record was read. Each of many such heads brings its own piece of the file into
  // memory, so every eighth one releases all of it.
  void noteLargeRecord() const;
  // Notes that a place was read on the way to a record. Where memory is limited, large files release what was read when
  // it is much.
  void noteLook(int64_t offset) const {
    if (!limitsMemory_ || size() < kMuchMemory || readParts_.contains(offset)) return;
    noteSeen(offset);
  }

  // -- Changing

  // Writes bytes; the file grows where the range ends after `size()`.
  void write(int64_t offset, const void *bytes, size_t byteCount);
  // Makes the file at least `size` bytes long; new bytes are zero.
  void grow(int64_t size);
  // Makes the file end at `size`, a multiple of the page size before its end; the bytes behind it read as zeros from
  // then on, and the checkpoint frees their space. The file cannot grow in the same commit. Throws
  // Failure(TDN_INVALID).
  void cut(int64_t size);

  // Returns the bytes by which a building file of that length grows: the most disk space that it takes without using
  // it.
  static int64_t buildingStep(int64_t byteCount);

  // -- For the group: life

  // Opens a file that was committed; `logged`, if not null, is what the logs of a reader hold beyond the main file.
  // Throws Failure(TDN_DAMAGED) if the file is missing, or shorter than committed.
  static std::shared_ptr<DataFile> open(
    FileEnvironment &environment, uint32_t number, const std::string &name, const LogIndex::File *logged);
  // Creates an empty file, which belongs to the commit being applied.
  static std::shared_ptr<DataFile> create(FileEnvironment &environment, uint32_t number, const std::string &name);
  // Creates a file that one thread fills, directly on disk. It is removed with its last user unless it is adopted.
  static std::shared_ptr<DataFile> createBuilding(FileEnvironment &environment, uint32_t number, const std::string &name);
  // Flushes such a file. Later changes are in memory, and go to the log when the file is adopted.
  void seal();
  bool isBuilding() const { return state_ == State::building; }
  bool isDropped() const { return state_ == State::dropped; }
  // Inside `apply`: the file leaves the group with this commit, which may also be rolled back.
  void drop();
  void undoDrop();

  // -- For the group: the commit being applied, by its thread

  // Returns the new bytes at the end of the file, in whole pages, or the stored pages that have changed. Both are 0 for
  // files that do not go through the log: building and dropped ones.
  int64_t newByteCount() const;
  int64_t changedPageCount() const;
  // Tests whether the main file has bytes, to be cut at the next checkpoint, that recovery may still need.
  bool isCutPending() const { return cutGeneration_ != 0; }
  // Tests whether the main file's name may not be durable yet.
  bool mayLackName() const { return mainEnd_ == 0; }
  // Tests whether pages were repaired when they were read. `rewriteRepaired` makes them part of the commit.
  bool hasRepairs() const { return !repairs_.isEmpty(); }
  void rewriteRepaired();
  // Appends the file's part of the commit. `isDirect`: without its new pages, which DirectWrites writes. `isStrict`:
  // pages that the log does not have yet are written whole, as a torn page can then be repaired from the log alone.
  void appendTo(LogWriter &log, bool isDirect, bool isStrict);
  // Returns the checksums of the new pages.
  std::vector<uint64_t> newPageSums() const;

  // Makes the changes the committed content; `generation`: of the log that has them, 0 if there is none. Returns how
  // many more pages memory has that the main file does not have. For dropped files: how many fewer.
  int64_t accept(uint64_t generation);
  // Makes a sealed building file a normal one. First of all, so that its last user does not remove it.
  void adopt() { state_ = State::normal; }
  // Ends the adoption, after `accept`.
  void finishAdopting();
  // Restores the committed content. A file that the commit has created is dropped.
  void rollBack();

  // -- For the group: checkpoints, with readers excluded

  // Maps the main file up to `end`, whose content it has by now. Pages that have changed since the log of generation
  // `writtenBack` keep their copies.
  void mapMain(int64_t end, uint64_t writtenBack);
  // Releases the copies of pages that have not changed since that generation. Returns how many there were.
  int64_t releaseWrittenBack(const std::vector<uint32_t> &pages, uint64_t generation);
  // Returns the newest log generation that mentions the file. Any thread.
  uint64_t lastGeneration() const { return lastGeneration_; }

 private:
  enum class State {
    fresh,     // created by the commit being applied; there may be no main file yet
    normal,
    building,  // belongs to one thread; until it is sealed a shared mapping, whose memory others may release
    dropped,
  };

  DataFile(FileEnvironment &environment, uint32_t number, std::string name, State state);

  // -- Mapping (DataFileMapping.cpp)
  // Opens the mapping over the content of the main file. `main` null: there is none yet.
  void map(DiskFile *main, int64_t size);
  void reserve(int64_t size);
  void moveTo(char *base, int64_t reserved);
  void mapPart(DiskFile &main, int64_t end);
  void mapZeros(int64_t start, int64_t end);
  void growPageTables(int64_t reserved);
  void applyLog(const LogIndex::File &logged, int64_t inMain);

  // -- Changes
  void writePart(int64_t page, int64_t first, int64_t end, const char *bytes);
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

  // -- Pages that only memory has
  // Whether the main file has the page's committed content, so that releasing the private copy brings it back.
  bool isInMainFile(int64_t page) const {
    return loggedGeneration_[page] == 0 && (page + 1) * kPageSize <= mainEnd_ && !repairs_.contains(page);
  }
  // For readers of logs: the main file does not have the page as it should be seen.
  void keepInMemory(int64_t page) { setLogged(page, UINT32_MAX); }
  void setLogged(int64_t page, uint32_t generation) {
    uint32_t &logged = loggedGeneration_[page];
    keptInPiece_[page / kPiecePages] += static_cast<uint16_t>((generation != 0) - (logged != 0));
    logged = generation;
  }
  // Returns how many pages from `firstPage` on had a generation.
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
  bool hasRightSum(int64_t page) const;  // as it is, or repaired
  bool isDamaged(int64_t page) const;

  void noteSeen(int64_t offset) const;
  void release(int64_t offset, int64_t byteCount, RangeRelease &ranges) const;

  // Pages are released in such pieces: the kernel maps at most as much of its cache around a page that is read.
  static constexpr int64_t kPiecePages = 512;
  static constexpr int64_t kPieceSize = kPiecePages * kPageSize;
  static constexpr int64_t kMuchMemory = 16 << 20;

  FileEnvironment &environment_;
  const uint32_t number_;
  const bool limitsMemory_, repairsBits_;
  const std::string name_;
  State state_;
  bool isDirect_ = false;  // DirectWrites writes its new pages in the commit being applied
  bool isSealed_ = false;  // a building file that is on disk but for the changes that are noted
  bool wasFresh_ = false;  // before the commit being applied dropped it
  std::atomic<uint64_t> lastGeneration_{0};

  char *base_ = nullptr;
  int64_t reserved_ = 0;   // bytes of address space
  int64_t mainEnd_ = 0;    // [0, mainEnd_) maps the main file, the rest is anonymous zeros
  // Until the checkpoint of `cutGeneration_`, the main file has stale bytes from `cutEnd_` on, which must not be
  // mapped.
  uint64_t cutGeneration_ = 0;
  int64_t cutEnd_ = 0;
  std::atomic<int64_t> size_{0};
  int64_t committedSize_ = 0;

  // One entry for each page of the reserved space.
  PageTable<uint64_t> dirtyBlocks_;       // changed since the last commit, a bit for each 64 bytes
  PageTable<uint32_t> loggedGeneration_;  // newest log generation that has the page; 0: the main file is current
  PageTable<uint16_t> keptInPiece_;       // for each piece, its pages with a generation
  mutable PageTable<uint64_t> verified_;  // a bit for each page

  std::vector<uint32_t> dirtyPages_;
  struct OldBlock {
    int64_t offset;
    char bytes[64];
  };
  std::vector<OldBlock> oldBlocks_;  // for a rollback: committed content that the main file does not have

  mutable PageRepairs repairs_;
  mutable ReadParts readParts_;
  mutable std::atomic<uint32_t> largeRecordCount_{0};

  std::shared_ptr<PageSums> sums_;
  std::unique_ptr<DiskFile> buildingFile_;  // until it is sealed
  std::vector<uint64_t> sealedSums_;        // of the pages that it had then
};

}  // namespace todana
