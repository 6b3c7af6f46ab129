#include "DataFile.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>
#include <sys/resource.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "FileGroup.h"
#include "PageSums.h"
#include "RangeRelease.h"

namespace todana {

namespace {

// A page of the mapping goes back to what the main file holds, or to zeros where there is no main file.
void dropPrivateCopy(char *page, int64_t byteCount) { ::madvise(page, byteCount, MADV_DONTNEED); }

// The blocks of one page that a range of bytes within it touches.
uint64_t blocksOf(int64_t first, int64_t last) {
  int low = static_cast<int>(first / 64), high = static_cast<int>(last / 64);
  return (~0ULL >> (63 - high)) & (~0ULL << low);
}

}  // namespace

DataFile::DataFile(FileGroup &group, uint32_t number, std::string name)
    : group_(group), number_(number), sparesMemory_(group.settings_.sparesMemory),
      mendsBits_(group.settings_.mendsBits), name_(std::move(name)) {}

DataFile::~DataFile() {
  if (buildingFile_) group_.noteFilled(*this);
  if (base_) ::munmap(base_, reserved_);
  if (state_ == State::building) group_.endBuilding(name_);
}

void DataFile::prefetch(int64_t offset, int64_t byteCount) const {
  offset &= ~(kPageSize - 1);
  byteCount = std::min(byteCount, mainEnd_ - offset);
  if (byteCount > 0) ::madvise(base_ + offset, static_cast<size_t>(byteCount), MADV_WILLNEED);
}

void DataFile::release(int64_t offset, int64_t byteCount) const {
  std::shared_lock<std::shared_mutex> noneIsMended(group_.mendingLock_);
  RangeRelease ranges;
  release(offset, byteCount, ranges);
  ranges.flush();
}

void DataFile::release(int64_t offset, int64_t byteCount, RangeRelease &ranges) const {
  if (buildingFile_) {
    // A shared mapping: the file has what was written.
    const int64_t limit = std::min(offset + byteCount, reserved_);
    if (offset < limit) ranges.add(base_ + offset, limit - offset);
    return;
  }
  // Of one that was dropped, and that a snapshot reads, nobody keeps a record any more of what only memory has.
  if (state_ != State::normal && (state_ != State::building || !isSealed_)) return;
  const int64_t end = std::min(offset + byteCount, mainEnd_) / kPageSize;
  int64_t page = pageCeiling(offset) / kPageSize;
  while (page < end) {
    // Up to a page that only memory has.
    int64_t run = page;
    while (run < end) {
      const bool isPiece = run % kPiecePages == 0 && run + kPiecePages <= end;
      if (isPiece && keptInPiece_[run / kPiecePages] == 0 && dirtyPages_.empty() && !hasMended_) {
        run += kPiecePages;
      } else if (isInMainFile(run) && dirtyBlocks_[run] == 0) {
        run++;
      } else {
        break;
      }
    }
    if (run > page) ranges.add(base_ + page * kPageSize, (run - page) * kPageSize);
    page = run + 1;
  }
}

void DataFile::releaseAll() const {
  if (seenCount_.exchange(0, std::memory_order_relaxed) > 0) {
    for (int64_t index = 0; index < seenWindows_.count(); index++) {
      if (seenWindows_[index] != 0) __atomic_store_n(&seenWindows_[index], 0, __ATOMIC_RELAXED);
    }
  }
  release(0, reserved_);
  if (sums_) sums_->release();
}

// With a page the kernel maps the whole piece of its cache that the page is in, up to 2 MiB.
void DataFile::releaseRead(int64_t offset, int64_t byteCount) const {
  const int64_t start = offset & -kPieceSize;
  release(start, ((offset + byteCount + kPieceSize - 1) & -kPieceSize) - start);
}

void DataFile::noteLargeRecord() const {
  if (largeRecordCount_.fetch_add(1, std::memory_order_relaxed) % 8 == 7) releaseAll();
}

void DataFile::noteSeen(int64_t window) const {
  __atomic_fetch_or(&seenWindows_[window >> 6], 1ULL << (window & 63), __ATOMIC_RELAXED);
  // Each may have brought a whole piece into memory, or a window, or nothing: now and then that is looked at.
  if (seenCount_.fetch_add(1, std::memory_order_relaxed) % 4 == 3) group_.spareMemory(*this);
}

// Only the pieces that were looked at are gone through: while a commit changes the file, pages that have to stay are
// everywhere.
void DataFile::releaseSeen() const {
  static_assert(2 * kPieceSize == 64 * kWindowSize);
  if (seenCount_.exchange(0, std::memory_order_relaxed) == 0) return;
  std::shared_lock<std::shared_mutex> noneIsMended(group_.mendingLock_);
  RangeRelease ranges;
  for (int64_t pair = 0, end = (size() / kPieceSize) / 2; pair <= end && pair < seenWindows_.count(); pair++) {
    const uint64_t seen = __atomic_exchange_n(&seenWindows_[pair], 0, __ATOMIC_RELAXED);
    if (seen == 0) continue;
    const bool first = static_cast<uint32_t>(seen) != 0, second = seen >> 32 != 0;
    release((2 * pair + !first) * kPieceSize, (first + second) * kPieceSize, ranges);
  }
  ranges.flush();
  if (sums_) sums_->release();
}

void DataFile::verifyPage(int64_t page) const {
  if (checkPage(page)) return;
  Failure failure(
    TDN_DAMAGED,
    "the page's content does not match its checksum: restore the store from a backup, or salvage what can be read", name_);
  failure.page = page;
  throw failure;
}

bool DataFile::checkPage(int64_t page) const {
  constexpr int64_t kNeighbours = 16;
  const uint64_t neighbours = __atomic_load_n(&verified_[page >> 6], __ATOMIC_RELAXED) >> (page & 63 & -kNeighbours);
  if ((neighbours & ((1 << kNeighbours) - 1)) == 0) prefetch((page & -kNeighbours) * kPageSize, kNeighbours * kPageSize);
  if (sums_ && !hasRightSum(page)) return false;
  setVerified(page);
  return true;
}

void DataFile::write(int64_t offset, const void *bytes, size_t byteCount) {
  if (byteCount == 0) return;
  const int64_t end = offset + static_cast<int64_t>(byteCount);
  if (end > size()) grow(end);
  if (!notesChanges()) {
    std::memcpy(base_ + offset, bytes, byteCount);
    for (int64_t window = offset / kWindowSize; window * kWindowSize < end; window++) noteLook(window * kWindowSize);
    return;
  }
  for (int64_t page = offset / kPageSize, last = (end - 1) / kPageSize; page <= last; page++) {
    const int64_t start = page * kPageSize;
    const int64_t first = std::max(offset, start), limit = std::min(end, start + kPageSize);
    writePart(page, first - start, limit - start, static_cast<const char *>(bytes) + (first - offset));
  }
}

// Bytes of one page. Blocks that stay as they are need not be logged; what is new in the file must be, zeros as well, so
// that the main file becomes as long.
void DataFile::writePart(int64_t page, int64_t first, int64_t end, const char *bytes) {
  char *target = base_ + page * kPageSize + first;
  const size_t byteCount = static_cast<size_t>(end - first);
  uint64_t blocks = blocksOf(first, end - 1);
  const int64_t known = committedSize_ - page * kPageSize;
  if (known > 0) {
    // It may be mended.
    if (!isVerified(page)) verifyPage(page);
    for (int64_t block = first / 64; block * 64 < end && block * 64 + 64 <= known; block++) {
      const int64_t from = std::max(first, block * 64) - first, to = std::min(end, block * 64 + 64) - first;
      if (std::memcmp(target + from, bytes + from, static_cast<size_t>(to - from)) == 0) blocks &= ~(1ULL << block);
    }
    if (blocks == 0) return;
  }
  markDirty(page, blocks);
  std::memcpy(target, bytes, byteCount);
}

void DataFile::markDirty(int64_t page, uint64_t blocks) {
  const uint64_t changed = blocks & ~dirtyBlocks_[page];
  if (changed == 0) return;
  // New pages are listed by `grow`, and a rollback zeroes them.
  if (page * kPageSize < pageCeiling(committedSize_)) {
    if (!isVerified(page)) verifyPage(page);
    if (!isInMainFile(page) && state_ != State::building) saveOldBlocks(page, changed);
    if (dirtyBlocks_[page] == 0) {
      noteFirstChange();
      dirtyPages_.push_back(static_cast<uint32_t>(page));
    }
  }
  dirtyBlocks_[page] |= changed;
}

// A building file is noted when it is adopted.
void DataFile::noteFirstChange() {
  if (state_ != State::building && !isDirty()) group_.noteChanged(this);
}

void DataFile::saveOldBlocks(int64_t page, uint64_t blocks) {
  for (; blocks; blocks &= blocks - 1) {
    OldBlock old;
    old.offset = page * kPageSize + 64 * __builtin_ctzll(blocks);
    std::memcpy(old.bytes, base_ + old.offset, 64);
    oldBlocks_.push_back(old);
  }
}

void DataFile::grow(int64_t newSize) {
  const int64_t oldSize = size();
  if (newSize <= oldSize) return;
  if (isCut()) throw Failure(TDN_INVALID, "a file cannot grow in the commit that cuts it", name_);
  if (newSize > kLargestFile) throw Failure(TDN_LIMIT, "a data file cannot grow beyond 8 TiB", name_);
  reserve(newSize);
  if (notesChanges()) {
    noteFirstChange();
    for (int64_t page = pageCeiling(oldSize) / kPageSize; page < pageCeiling(newSize) / kPageSize; page++) {
      dirtyPages_.push_back(static_cast<uint32_t>(page));
      setVerified(page);
    }
  }
  size_.store(newSize, std::memory_order_relaxed);
}

void DataFile::cut(int64_t newSize) {
  if (newSize % kPageSize != 0 || newSize >= size() || size() != committedSize_ || state_ != State::normal) {
    throw Failure(TDN_INVALID, "a file cannot be cut there", name_);
  }
  noteFirstChange();
  size_.store(newSize, std::memory_order_relaxed);
}

void DataFile::rollBack() {
  for (auto old = oldBlocks_.rbegin(); old != oldBlocks_.rend(); ++old) {
    std::memcpy(base_ + old->offset, old->bytes, 64);
  }
  const int64_t newPages = pageCeiling(committedSize_), end = pageCeiling(size());
  if (size() > committedSize_) std::memset(base_ + committedSize_, 0, std::min(newPages, size()) - committedSize_);
  if (end > newPages) dropPrivateCopy(base_ + newPages, end - newPages);
  for (uint32_t page : dirtyPages_) {
    dirtyBlocks_[page] = 0;
    if (isInMainFile(page)) dropPrivateCopy(base_ + page * kPageSize, kPageSize);
  }
  dirtyPages_.clear();
  oldBlocks_.clear();
  size_.store(committedSize_, std::memory_order_relaxed);
}

void DataFile::forgetChanges() {
  for (uint32_t page : dirtyPages_) dirtyBlocks_[page] = 0;
  dirtyPages_.clear();
  oldBlocks_.clear();
  // One large commit must not keep its memory for good.
  if (dirtyPages_.capacity() > 4096) dirtyPages_.shrink_to_fit();
  if (oldBlocks_.capacity() > 4096) oldBlocks_.shrink_to_fit();
  committedSize_ = size();
}

int64_t DataFile::acceptCut(uint64_t generation) {
  const int64_t end = size(), oldEnd = pageCeiling(committedSize_);
  const int64_t count = forgetLogged(end / kPageSize);
  mendedPages_.erase(
    std::remove_if(mendedPages_.begin(), mendedPages_.end(), [=](uint32_t page) { return page >= end / kPageSize; }),
    mendedPages_.end());
  hasMended_ = !mendedPages_.empty();
  if (oldEnd > mainEnd_) dropPrivateCopy(base_ + std::max(end, mainEnd_), oldEnd - std::max(end, mainEnd_));
  if (mainEnd_ > end) {
    void *mapped = ::mmap(
      base_ + end, mainEnd_ - end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
      0);
    if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map memory", name_);
    mainEnd_ = end;
  }
  cutEnd_ = cutGeneration_ == 0 ? end : std::min(cutEnd_, end);
  cutGeneration_ = generation;
  return count;
}

int64_t DataFile::forgetLogged(int64_t firstPage) {
  int64_t count = 0;
  for (int64_t piece = firstPage / kPiecePages; piece < keptInPiece_.count(); piece++) {
    if (keptInPiece_[piece] == 0) continue;
    const int64_t end = std::min((piece + 1) * kPiecePages, loggedGeneration_.count());
    for (int64_t page = std::max(firstPage, piece * kPiecePages); page < end; page++) {
      if (loggedGeneration_[page] == 0) continue;
      setLogged(page, 0);
      count++;
    }
  }
  return count;
}

// MARK: Memory

namespace {

constexpr int64_t kLeastReservation = 1 << 20;

// Pages of a building file whose checksums are computed before they are let go of.
constexpr int64_t kSealedPages = 4096;

// Large reservations are aligned for huge pages and ask for them: a file that is being filled is written all over its
// buckets, and would take a fault, and a place in the translation cache, for each small page.
constexpr int64_t kHugePage = 2 << 20;

// Left free where the process's address space is limited (ulimit -v): a reservation that fails is an error, while an
// allocation that fails ends the process, in Swift's runtime for example.
constexpr int64_t kHeadroom = 128 << 20;

bool leavesHeadroom(int64_t byteCount) {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  void *mapped =
    ::mmap(nullptr, byteCount + kHeadroom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  ::munmap(mapped, byteCount + kHeadroom);
  return true;
}

char *reserveAddressSpace(int64_t byteCount, const std::string &name) {
  if (!leavesHeadroom(byteCount)) throw Failure::fromErrno(ENOMEM, "cannot reserve address space", name);
  const int64_t slack = byteCount >= 2 * kHugePage ? kHugePage : 0;
  void *mapped =
    ::mmap(nullptr, byteCount + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot reserve address space", name);
  char *base = static_cast<char *>(mapped);
  if (slack == 0) return base;
  const int64_t before = -reinterpret_cast<intptr_t>(base) & (kHugePage - 1);
  if (before > 0) ::munmap(base, before);
  if (slack > before) ::munmap(base + before + byteCount, slack - before);
#ifdef MADV_HUGEPAGE
  ::madvise(base + before, byteCount, MADV_HUGEPAGE);
#endif
  return base + before;
}

// Moves a mapping with its private pages. False where the system cannot: the range consists of several mappings.
bool moveMapping(char *from, int64_t byteCount, char *to) {
#ifdef __linux__
  return ::mremap(from, byteCount, byteCount, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
#else
  (void)from, (void)byteCount, (void)to;
  return false;
#endif
}

}  // namespace

void DataFile::map(DiskFile *main, int64_t fileSize) {
  int64_t reserved = kLeastReservation;
  while (reserved < fileSize) reserved *= 2;
  base_ = reserveAddressSpace(reserved, name_);
  reserved_ = reserved;
  growPageTables(reserved);
  if (main) mapMain(*main, pageCeiling(fileSize));
  size_.store(fileSize, std::memory_order_relaxed);
  committedSize_ = fileSize;
}

void DataFile::mapMain(DiskFile &main, int64_t end) {
  if (end <= mainEnd_) return;
  void *mapped = ::mmap(
    base_ + mainEnd_, end - mainEnd_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
    main.descriptor(), mainEnd_);
  if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name_);
  // What to read ahead is for `prefetch` to say: the system may read megabytes around each page that is touched.
  ::madvise(mapped, static_cast<size_t>(end - mainEnd_), MADV_RANDOM);
  mainEnd_ = end;
}

// A private mapping takes the shared one's place, and what is written from now on is noted.
void DataFile::seal() {
  group_.noteFilled(*this);  // from now on only who builds it lets go of its memory
  buildingFile_->resize(size());
  buildingFile_->flush();
  const int64_t pageCount = pageCeiling(size()) / kPageSize;
  sealedSums_.resize(pageCount);
  for (int64_t page = 0; page < pageCount; page++) {
    sealedSums_[page] = pageChecksum(base_ + page * kPageSize, number_, page);
    // The whole file would come into memory.
    if (page % kSealedPages == kSealedPages - 1) {
      const int64_t first = page + 1 - kSealedPages;
      ::madvise(base_ + first * kPageSize, static_cast<size_t>(kSealedPages * kPageSize), MADV_DONTNEED);
    }
  }
  mapMain(*buildingFile_, pageCeiling(size()));
  if (reserved_ > mainEnd_ &&
      ::mmap(
        base_ + mainEnd_, reserved_ - mainEnd_, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
    throw Failure::fromErrno(errno, "cannot map memory", name_);
  }
  for (int64_t page = 0; page < mainEnd_ / kPageSize; page++) setVerified(page);
  buildingFile_.reset();
  committedSize_ = size();
  isSealed_ = true;
}

void DataFile::growPageTables(int64_t reserved) {
  const int64_t pages = reserved / kPageSize;
  dirtyBlocks_.grow(pages);
  loggedGeneration_.grow(pages);
  keptInPiece_.grow((pages + kPiecePages - 1) / kPiecePages);
  verified_.grow((pages + 63) / 64);
  seenWindows_.grow((reserved + 64 * kWindowSize - 1) / (64 * kWindowSize));
}

namespace {

// Maps a file that is being built, or makes its mapping longer. After a failure the old mapping is as it was.
char *mapBuilding(char *old, int64_t oldSize, int64_t size, const DiskFile &file, const std::string &name) {
#ifdef __linux__
  // Keeps the pages that are mapped already.
  if (old) {
    void *base = ::mremap(old, oldSize, size, MREMAP_MAYMOVE);
    if (base == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name);
    return static_cast<char *>(base);
  }
#endif
  void *base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (base == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name);
  if (old) ::munmap(old, oldSize);
  return static_cast<char *>(base);
}

}  // namespace

int64_t DataFile::buildingStep(int64_t byteCount) {
  return std::max(kLeastReservation, byteCount / 8 / kLeastReservation * kLeastReservation);
}

void DataFile::reserve(int64_t byteCount) {
  if (byteCount <= reserved_) return;
  const bool takesRoom = state_ == State::building && buildingFile_;
  int64_t reserved = std::max(reserved_, kLeastReservation);
  while (reserved < byteCount) reserved += takesRoom ? buildingStep(reserved) : reserved;
  if (takesRoom) {
    buildingFile_->allocate(reserved);
    // Others may be letting go of its memory.
    std::lock_guard<std::mutex> lock(group_.fillingMutex_);
    growPageTables(reserved);
    base_ = mapBuilding(base_, reserved_, reserved, *buildingFile_, name_);
    reserved_ = reserved;
    return;
  }
  char *base = reserveAddressSpace(reserved, name_);
  try {
    growPageTables(reserved);
    moveTo(base, reserved);
  } catch (...) {
    ::munmap(base, reserved);
    throw;
  }
}

// A range that was moved is not mapped here any more, and may belong to somebody else already: only what was copied is
// unmapped.
void DataFile::moveTo(char *base, int64_t reserved) {
  if (mainEnd_ > 0 && !moveMapping(base_, mainEnd_, base)) {
    std::unique_ptr<DiskFile> main = group_.openMain(name_);
    if (!main) throw Failure(TDN_DAMAGED, "the file is missing", name_);
    void *mapped = ::mmap(
      base, mainEnd_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, main->descriptor(), 0);
    if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name_);
    for (int64_t page = 0; page < mainEnd_ / kPageSize; page++) {
      if (loggedGeneration_[page] == 0 && dirtyBlocks_[page] == 0 && !isMended(page)) continue;
      std::memcpy(base + page * kPageSize, base_ + page * kPageSize, kPageSize);
    }
    ::munmap(base_, mainEnd_);
  }
  const int64_t used = pageCeiling(size());
  if (reserved_ > mainEnd_ && !moveMapping(base_ + mainEnd_, reserved_ - mainEnd_, base + mainEnd_)) {
    if (used > mainEnd_) std::memcpy(base + mainEnd_, base_ + mainEnd_, used - mainEnd_);
    ::munmap(base_ + mainEnd_, reserved_ - mainEnd_);
  }
  base_ = base;
  reserved_ = reserved;
}

}  // namespace todana
