// DataFile's mapping: opening and creating files, address space, and building files.
#include "DataFile.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>
#include <sys/resource.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "Checkpoint.h"
#include "FileEnvironment.h"
#include "PageSums.h"

namespace todana {

namespace {

constexpr int64_t kLeastReservation = 1 << 20;

// The number of pages of a building file whose checksums are computed before their memory is released.
constexpr int64_t kSealedPages = 4096;

// Large reservations are aligned for huge pages and request them. Filling a file writes all over its buckets, and each
// small page would cost a fault and an entry of the translation cache.
constexpr int64_t kHugePage = 2 << 20;

// The address space left free if it is limited (ulimit -v). A failed reservation is an error, but a failed allocation
// elsewhere can end the process, for example in Swift's runtime.
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

// Moves a mapping with its private pages. Returns false if the system cannot, because the range consists of several
// mappings.
bool moveMapping(char *from, int64_t byteCount, char *to) {
#ifdef __linux__
  return ::mremap(from, byteCount, byteCount, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
#else
  (void)from, (void)byteCount, (void)to;
  return false;
#endif
}

}  // namespace

// MARK: Opening

std::shared_ptr<DataFile> DataFile::open(
  FileEnvironment &environment, uint32_t number, const std::string &name, const LogIndex::File *logged) {
  const GroupSettings &settings = environment.settings;
  std::shared_ptr<DataFile> file(new DataFile(environment, number, name, State::normal));
  std::unique_ptr<DiskFile> main = environment.disk.open(name, settings.readOnly ? Disk::Mode::read : Disk::Mode::write);
  const int64_t mainSize = main ? main->size() : 0;
  if (!logged || logged->baseSize > 0 || logged->isDropped) {
    if (!main || (logged && logged->isDropped)) throw Failure(TDN_DAMAGED, "the file is missing", name);
    // A reader in strict mode does not use these checksums: an interrupted checkpoint may have torn them, and a reader
    // cannot repeat the checkpoint.
    if (!logged || !settings.strict) file->sums_ = PageSums::open(environment.disk, name, number, settings.repairsBits);
  }
  const int64_t inMain = logged ? logged->baseSize : file->sums_->committedSize();
  if (mainSize < inMain) {
    throw Failure(
      TDN_DAMAGED,
      "the file is truncated: " + std::to_string(mainSize) + " of " + std::to_string(inMain) + " bytes are left", name);
  }
  // An unfinished large commit may have left bytes after the end.
  if (mainSize > inMain && !settings.readOnly && !logged) cutOff(*main, inMain, settings.strict);
  // Pages that a large commit wrote directly are in the main file, too, although only the log confirms them.
  const int64_t size = logged ? std::max(inMain, logged->size) : inMain;
  const int64_t mapped = logged && !logged->direct.empty() ? std::min(size, mainSize) : inMain;
  file->map(main && mapped > 0 ? main.get() : nullptr, mapped);
  if (mainSize > mapped && mapped % kPageSize != 0) {
    std::memset(file->base_ + mapped, 0, pageCeiling(mapped) - mapped);
    if (logged || settings.readOnly) file->keepInMemory(mapped / kPageSize, logged ? logged->generation : 0);
  }
  if (logged) file->applyLog(*logged, inMain);
  if (file->mainEnd_ > pageCeiling(inMain)) file->noteHoles(pageCeiling(inMain), file->mainEnd_);
  return file;
}

void DataFile::keepInMemory(int64_t page, uint32_t generation) {
  setLogged(page, environment_.settings.readOnly ? UINT32_MAX : generation);
}

int64_t DataFile::privatePageCount() const {
  int64_t count = 0;
  for (int64_t page = 0; page < pageCeiling(size()) / kPageSize; page++) count += loggedGeneration_[page] != 0;
  return count;
}

// Applies the pages that the logs have beyond the main file. `inMain`: the valid bytes of the main file.
void DataFile::applyLog(const LogIndex::File &logged, int64_t inMain) {
  const int64_t size = std::max(inMain, logged.size), firstNewPage = pageCeiling(inMain) / kPageSize;
  reserve(size);
  size_ = size;
  committedSize_ = size;
  forEachPage(logged.pages, [&](size_t first, size_t last) {
    const int64_t page = logged.pages[first].page;
    char *content = base_ + page * kPageSize;
    if (page >= firstNewPage && !logged.isDirect(static_cast<uint32_t>(page))) std::memset(content, 0, kPageSize);
    for (size_t change = first; change < last; change++) applyBlocks(logged.pages[change], content);
    setVerified(page);
    keepInMemory(page, logged.pages[last - 1].generation);
  });
  if (!environment_.settings.readOnly) lastGeneration_ = logged.generation;
  for (const LogIndex::DirectRange &range : logged.direct) {
    for (uint32_t page = 0; page < range.count; page++) setVerified(range.firstPage + page);
  }
}

std::shared_ptr<DataFile> DataFile::create(FileEnvironment &environment, uint32_t number, const std::string &name) {
  environment.removeLeftover(name);
  std::shared_ptr<DataFile> file(new DataFile(environment, number, name, State::fresh));
  file->map(nullptr, 0);
  return file;
}

std::shared_ptr<DataFile> DataFile::createBuilding(
  FileEnvironment &environment, uint32_t number, const std::string &name) {
  environment.removeLeftover(name);
  std::shared_ptr<DataFile> file(new DataFile(environment, number, name, State::building));
  environment.open.addBuilding(name);
  if (!environment.settings.isVolatile) file->buildingFile_ = environment.disk.open(name, Disk::Mode::create);
  file->isMappedSafely_ = !file->buildingFile_ || !file->buildingFile_->isCopying();
  file->reserve(1);
  if (file->buildingFile_) environment.memoryLimit.addFilling(*file);
  return file;
}

// MARK: The mapping

void DataFile::map(DiskFile *main, int64_t fileSize) {
  int64_t reserved = kLeastReservation;
  while (reserved < fileSize) reserved *= 2;
  base_ = reserveAddressSpace(reserved, name_);
  reserved_ = reserved;
  growPageTables(reserved);
  if (main) mapPart(*main, pageCeiling(fileSize));
  size_.store(fileSize, std::memory_order_relaxed);
  committedSize_ = fileSize;
}

void DataFile::mapPart(DiskFile &main, int64_t end) {
  if (end <= mainEnd_) return;
  mapRange(main, mainEnd_, end);
  mainEnd_ = end;
}

void DataFile::mapRange(DiskFile &main, int64_t start, int64_t end) {
  void *mapped = ::mmap(
    base_ + start, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, main.descriptor(),
    start);
  if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name_);
  // Only `prefetch` decides about reading ahead: the system might read megabytes around each page that is touched.
  ::madvise(mapped, static_cast<size_t>(end - start), MADV_RANDOM);
}

void DataFile::mapZeros(int64_t start, int64_t end) {
  void *mapped = ::mmap(
    base_ + start, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map memory", name_);
}

// Flushes the building file. Replaces the shared mapping by a private one, and notes changes from now on.
void DataFile::seal() {
  if (!buildingFile_) return;  // in memory only
  environment_.memoryLimit.removeFilling(*this);  // from now on only the building thread releases its memory
  buildingFile_->resize(size());
  buildingFile_->flush();
  const int64_t pageCount = pageCeiling(size()) / kPageSize;
  sealedSums_.resize(pageCount);
  for (int64_t page = 0; page < pageCount; page++) {
    sealedSums_[page] = pageChecksum(base_ + page * kPageSize, number_, page);
    // Release the pages, because otherwise the whole file would be in memory.
    if (page % kSealedPages == kSealedPages - 1) {
      const int64_t first = page + 1 - kSealedPages;
      ::madvise(base_ + first * kPageSize, static_cast<size_t>(kSealedPages * kPageSize), MADV_DONTNEED);
    }
  }
  mapPart(*buildingFile_, pageCeiling(size()));
  if (reserved_ > mainEnd_) mapZeros(mainEnd_, reserved_);
  for (int64_t page = 0; page < mainEnd_ / kPageSize; page++) setVerified(page);
  buildingFile_.reset();
  committedSize_ = size();
  isSealed_ = true;
  environment_.disk.flushDirectory();
}

void DataFile::growPageTables(int64_t reserved) {
  const int64_t pages = reserved / kPageSize;
  dirtyBlocks_.grow(pages);
  loggedGeneration_.grow(pages);
  keptInPiece_.grow((pages + kPiecePages - 1) / kPiecePages);
  verified_.grow((pages + 63) / 64);
  readParts_.grow(reserved);
}

namespace {

// Maps a building file, or extends its mapping. After a failure the old mapping is unchanged.
char *mapBuilding(char *old, int64_t oldSize, int64_t size, const DiskFile &file, const std::string &name) {
#ifdef __linux__
  // The mapped pages are kept.
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
  const bool takesRoom = isBuilding() && buildingFile_;
  int64_t reserved = std::max(reserved_, kLeastReservation);
  while (reserved < byteCount) reserved += takesRoom ? buildingStep(reserved) : reserved;
  if (takesRoom) {
    buildingFile_->allocate(reserved);
    // Other threads may be releasing its memory.
    MutexLock lock(environment_.memoryLimit.fillingMutex());
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

// Moves the content to another mapping. Unmaps only copied ranges: the addresses of a moved range are free already, and
// other code may use them.
void DataFile::moveTo(char *base, int64_t reserved) {
  if (mainEnd_ > 0 && !moveMapping(base_, mainEnd_, base)) {
    std::unique_ptr<DiskFile> main = environment_.disk.open(name_, Disk::Mode::read);
    if (!main) throw Failure(TDN_DAMAGED, "the file is missing", name_);
    void *mapped = ::mmap(
      base, mainEnd_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, main->descriptor(), 0);
    if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the file", name_);
    for (int64_t page = 0; page < mainEnd_ / kPageSize; page++) {
      if (loggedGeneration_[page] == 0 && dirtyBlocks_[page] == 0 && !repairs_.contains(page)) continue;
      std::memcpy(base + page * kPageSize, base_ + page * kPageSize, kPageSize);
    }
    ::munmap(base_, mainEnd_);
  }
  const int64_t used = pageCeiling(size());
  auto movePart = [&](int64_t start, int64_t end) {
    if (start >= end || moveMapping(base_ + start, end - start, base + start)) return;
    if (used > start) std::memcpy(base + start, base_ + start, std::min(used, end) - start);
    ::munmap(base_ + start, end - start);
  };
  // Each mapping moves by itself.
  int64_t start = mainEnd_;
  for (const ThroughRange &range : through_) {
    movePart(start, range.start);
    movePart(range.start, range.end);
    start = range.end;
  }
  movePart(start, reserved_);
  base_ = base;
  reserved_ = reserved;
}

}  // namespace todana
