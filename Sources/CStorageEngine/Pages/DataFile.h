// One data file of a group: a private mapping of its main file that commits through the group's log.
//
// Nothing written here reaches the main file before a checkpoint (no-steal), except whole new pages of a large commit.
// Bytes at and after `size()` read as zero. A file shrinks by being replaced, or by `cut`.
//
// Threads: `write`, `grow`, `cut` only inside FileGroup::commit's `apply` (one thread, readers excluded); `at`, `read`,
// `verify`, `release` there or under a FileGroup::ReadLock. A building file belongs to the thread that builds it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "../Disk/PageSize.h"
#include "PageTable.h"

namespace todana {

class FileGroup;
class LogIndex;
class PageSums;
class RangeRelease;

class DataFile : public std::enable_shared_from_this<DataFile> {
 public:
  ~DataFile();
  DataFile(const DataFile &) = delete;
  DataFile &operator=(const DataFile &) = delete;

  uint32_t number() const { return number_; }
  const std::string &name() const { return name_; }

  // Logical size in bytes.
  int64_t size() const { return size_.load(std::memory_order_relaxed); }

  // The mapped byte at `offset`. Its page must have been verified.
  const char *at(int64_t offset) const { return base_ + offset; }

  // Checks the checksum of each page of the range that has not been checked since the file was opened.
  // Throws Failure(TDN_DAMAGED) with file and page. The range must lie within `size()` and not be empty.
  void verify(int64_t offset, int64_t byteCount) const {
    for (int64_t page = offset / kPageSize, last = (offset + byteCount - 1) / kPageSize; page <= last; page++) {
      if (!isVerified(page)) verifyPage(page);
    }
  }

  // Whether each page of the range matches its checksum. The range as in `verify`.
  bool isSound(int64_t offset, int64_t byteCount) const {
    for (int64_t page = offset / kPageSize, last = (offset + byteCount - 1) / kPageSize; page <= last; page++) {
      if (!isVerified(page) && !checkPage(page)) return false;
    }
    return true;
  }

  // A copy of a damaged page with its one wrong bit set right; null if more than one bit is wrong. Takes ten milliseconds
  // for each page, once; after 256 pages of a file no others are tried. The copy lives as long as the file.
  const char *repairedCopy(int64_t page) const;

  // Inside `apply`, before any change: sets the one wrong bit of a damaged page right, in memory and with the next commit
  // that changes anything. False if the page is not damaged, or more than one bit is wrong.
  bool repairPage(int64_t page);
  // Inside `apply`, before any change: takes the bytes of a damaged page as they are, and its checksum with the next commit.
  // The caller knows that values alone are damaged. False if the page is not damaged.
  bool acceptPage(int64_t page);
  // Counts the pages that were repaired or accepted.
  uint32_t repairCount() const { return repairCount_.load(std::memory_order_acquire); }

  // Where bits are mended: pages before `end`, and the first one in any case, are when they are read and a single bit of
  // them is wrong, as the rest of the file is not found without them. Those behind it cost themselves only, and there may
  // be so many of them that trying would take for ever.
  void mendUpTo(int64_t end) const { mendableEnd_.store(end, std::memory_order_relaxed); }

  // Asks the system to read a part of the file that will be looked at soon. Only a hint.
  void prefetch(int64_t offset, int64_t byteCount) const;

  // Lets go of the memory of a part that was looked at and is large: of whole pages that are as the main file has them.
  // They are read again when they are looked at again, without another look at their checksums.
  void release(int64_t offset, int64_t byteCount) const;
  // The same of all parts, and of the checksums.
  void releaseAll() const;
  // The same after a large value was read, with what the system has brought into memory along with it.
  void releaseRead(int64_t offset, int64_t byteCount) const;
  // The header of a large record was looked at: among many of them each brings its own piece of the file into memory, so
  // now and then all of it goes.
  void noteLargeRecord() const;
  // A place was looked at on the way to a record: where memory is spared, what a large file has in memory goes when it is
  // much.
  void noteLook(int64_t offset) const {
    if (!sparesMemory_ || size() < kMuchMemory) return;
    const int64_t window = offset / kWindowSize;
    if (!((__atomic_load_n(&seenWindows_[window >> 6], __ATOMIC_RELAXED) >> (window & 63)) & 1)) noteSeen(window);
  }

  // Copies bytes out. False if the range is not within `size()`.
  bool read(int64_t offset, void *buffer, size_t byteCount) const {
    if (offset < 0 || byteCount > static_cast<uint64_t>(size()) || offset > size() - static_cast<int64_t>(byteCount)) {
      return false;
    }
    if (byteCount == 0) return true;
    verify(offset, static_cast<int64_t>(byteCount));
    std::memcpy(buffer, base_ + offset, byteCount);
    return true;
  }

  // Writes bytes, growing the file where the range ends after `size()`.
  void write(int64_t offset, const void *bytes, size_t byteCount);

  // Makes the file at least `size` bytes long; new bytes are zero.
  void grow(int64_t size);

  // Makes the file end at `size`, a multiple of the page size before its end; the bytes behind it read as zeros from then
  // on, and the checkpoint gives their space back. The file cannot grow in the same commit. Throws Failure(TDN_INVALID).
  void cut(int64_t size);

  // Bytes by which a building file of that length grows: the most disk space that it takes without using it.
  static int64_t buildingStep(int64_t byteCount);

  // Bytes of the newest commit: what a rollback returns to.
  int64_t committedSize() const { return committedSize_; }

 private:
  friend class FileGroup;

  enum class State {
    fresh,     // created by the commit being applied; there may be no main file yet
    normal,
    building,  // belongs to one thread; until it is sealed a shared mapping, of which others let go
    dropped,
  };

  DataFile(FileGroup &group, uint32_t number, std::string name);

  // -- Memory
  // Opens the mapping over what the main file holds. `main` null: there is none yet.
  void map(DiskFile *main, int64_t size);
  void reserve(int64_t size);
  void moveTo(char *base, int64_t reserved);
  void mapMain(DiskFile &main, int64_t end);
  void seal();  // a building file
  void growPageTables(int64_t reserved);

  // -- Changes
  void writePart(int64_t page, int64_t first, int64_t end, const char *bytes);
  bool notesChanges() const { return state_ != State::building || isSealed_; }
  bool isDirty() const { return !dirtyPages_.empty() || size() != committedSize_ || state_ == State::fresh; }
  void markDirty(int64_t page, uint64_t blocks);
  void noteFirstChange();
  // Whether the main file holds the page's committed content, so that dropping the private copy brings it back.
  bool isInMainFile(int64_t page) const {
    return loggedGeneration_[page] == 0 && (page + 1) * kPageSize <= mainEnd_ && !isMended(page);
  }
  // For who only reads: the main file does not hold the page as it is to be seen.
  void keepInMemory(int64_t page) { setLogged(page, UINT32_MAX); }
  // Pages are let go of in such pieces; the kernel maps as much of its cache around a page that is touched, at most.
  static constexpr int64_t kPiecePages = 512;
  static constexpr int64_t kPieceSize = kPiecePages * kPageSize;
  // Returns how many pages from `firstPage` on had a generation.
  int64_t forgetLogged(int64_t firstPage);
  void setLogged(int64_t page, uint32_t generation) {
    uint32_t &logged = loggedGeneration_[page];
    keptInPiece_[page / kPiecePages] += static_cast<uint16_t>((generation != 0) - (logged != 0));
    logged = generation;
  }
  void saveOldBlocks(int64_t page, uint64_t blocks);
  void rollBack();
  void forgetChanges();  // after a commit: what was changed is now the committed content
  bool isCut() const { return size() < committedSize_; }
  // After a commit in the log of `generation` that cut the file: releases what memory has of it behind its end. Returns
  // how many of those pages had a generation.
  int64_t acceptCut(uint64_t generation);

  bool isVerified(int64_t page) const {
    return (__atomic_load_n(&verified_[page >> 6], __ATOMIC_ACQUIRE) >> (page & 63)) & 1;
  }
  void setVerified(int64_t page) const {
    __atomic_fetch_or(&verified_[page >> 6], 1ULL << (page & 63), __ATOMIC_RELEASE);
  }
  void verifyPage(int64_t page) const;
  bool checkPage(int64_t page) const;
  bool isDamaged(int64_t page) const;
  void noteRepaired(int64_t page);

  // -- Mending
  bool hasRightSum(int64_t page) const;  // as it is, or mended
  bool mend(int64_t page, uint64_t expected, uint64_t found) const;
  // With `FileGroup::mendingLock_`, or with readers excluded.
  bool isMended(int64_t page) const {
    return hasMended_.load(std::memory_order_relaxed) &&
           std::find(mendedPages_.begin(), mendedPages_.end(), page) != mendedPages_.end();
  }
  void rewriteMended();            // makes the pages as they should be part of the commit being applied
  void forgetMended(int64_t page);  // the main file has it as it should be

  void noteSeen(int64_t window) const;
  void releaseSeen() const;
  void release(int64_t offset, int64_t byteCount, RangeRelease &ranges) const;

  FileGroup &group_;
  static constexpr int64_t kMuchMemory = 16 << 20;
  // The kernel maps so much around a page that is touched, at least.
  static constexpr int64_t kWindowSize = 64 << 10;

  const uint32_t number_;
  const bool sparesMemory_, mendsBits_;
  const std::string name_;
  State state_ = State::normal;
  bool isDirect_ = false;          // its new pages are written directly by the commit being applied
  bool isSealed_ = false;          // a building file that is wholly on disk but for what is noted as changed
  bool wasFresh_ = false;          // before it was dropped by the commit being applied
  std::atomic<uint64_t> lastGeneration_{0};  // newest log generation that mentions the file

  char *base_ = nullptr;
  int64_t reserved_ = 0;   // bytes of address space
  int64_t mainEnd_ = 0;    // [0, mainEnd_) maps the main file, the rest is anonymous zeros
  // Until the checkpoint of `cutGeneration_`, the main file has stale bytes from `cutEnd_` on, which may not be mapped.
  uint64_t cutGeneration_ = 0;
  int64_t cutEnd_ = 0;
  std::atomic<int64_t> size_{0};
  int64_t committedSize_ = 0;

  mutable std::atomic<uint32_t> largeRecordCount_{0};
  // One entry a page of the reserved space.
  PageTable<uint64_t> dirtyBlocks_;       // changed since the last commit, a bit for each 64 bytes
  PageTable<uint32_t> loggedGeneration_;  // newest log generation that holds the page; 0: main file is current
  PageTable<uint16_t> keptInPiece_;       // for each piece, its pages with a generation
  mutable PageTable<uint64_t> verified_;  // a bit for each page
  mutable PageTable<uint64_t> seenWindows_;  // a bit for each that was looked at and not let go of yet
  mutable std::atomic<uint32_t> seenCount_{0};

  std::vector<uint32_t> dirtyPages_;
  struct OldBlock {
    int64_t offset;
    char bytes[64];
  };
  std::vector<OldBlock> oldBlocks_;                 // for rollback: committed content that the main file does not hold

  mutable std::atomic<int64_t> mendableEnd_{kPageSize};
  mutable std::atomic<bool> hasMended_{false};
  mutable std::vector<uint32_t> mendedPages_;    // memory has them as they should be, the main file does not
  mutable std::vector<uint32_t> hopelessPages_;  // more than one bit is wrong
  // By page; null if more than one bit is wrong. Guarded by `FileGroup::mendingLock_`.
  mutable std::map<int64_t, std::unique_ptr<char[]>> repairedCopies_;
  std::atomic<uint32_t> repairCount_{0};

  std::shared_ptr<PageSums> sums_;
  std::unique_ptr<DiskFile> buildingFile_;  // until it is sealed
  std::vector<uint64_t> sealedSums_;        // of the pages that it had then
};

}  // namespace todana
