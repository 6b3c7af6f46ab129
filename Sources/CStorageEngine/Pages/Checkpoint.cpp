#include "Checkpoint.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "../Disk/Checksum.h"
#include "DataFile.h"
#include "PageSums.h"

namespace todana {

void cutOff(DiskFile &main, int64_t size, bool keepsLastPage) {
  const int64_t end = keepsLastPage ? pageCeiling(size) : size;
  if (main.size() > end) main.resize(end);
}

namespace {

// The number of files at which one flush of the file system becomes cheaper than separate flushes.
constexpr size_t kMostFlushes = 32;

// The number of written files that are open before they are flushed: a process may have few descriptors.
constexpr size_t kMostOpen = 16;

// The maximum number of pieces of one page that are written separately.
constexpr int kMostPieces = 2;

// The number of changes after which the memory of the mapped logs is released. Reading one change may map 64 KiB.
constexpr size_t kMostUnreleased = 64;

// A writer that joins adjacent bytes into few large writes.
class GatheringWriter {
 public:
  GatheringWriter(DiskFile &file, int64_t limit) : file_(file), limit_(limit) { buffer_.reserve(kSize); }

  // Writes bytes, except those at and after `limit`, because the last page extends beyond the end of the file.
  void write(int64_t offset, const char *bytes, int64_t byteCount) {
    byteCount = std::min(byteCount, limit_ - offset);
    if (byteCount <= 0) return;
    if (offset != start_ + static_cast<int64_t>(buffer_.size()) || buffer_.size() >= kSize) {
      flush();
      start_ = offset;
    }
    buffer_.insert(buffer_.end(), bytes, bytes + byteCount);
  }

  void flush() {
    if (buffer_.empty()) return;
    file_.write(start_, buffer_.data(), buffer_.size());
    written_ += static_cast<int64_t>(buffer_.size());
    buffer_.clear();
  }

  int64_t written() const { return written_; }

 private:
  static constexpr size_t kSize = 256 << 10;

  DiskFile &file_;
  const int64_t limit_;
  std::vector<char> buffer_;
  int64_t start_ = 0;
  int64_t written_ = 0;
};

void writeBlocks(GatheringWriter &writer, uint32_t page, uint64_t mask, const char *content) {
  for (int block = 0; block < 64;) {
    if (!((mask >> block) & 1)) {
      block++;
      continue;
    }
    int last = block;
    while (last < 64 && ((mask >> last) & 1)) last++;
    writer.write(page * kPageSize + block * kBlockSize, content + block * kBlockSize, (last - block) * kBlockSize);
    block = last;
  }
}

// Returns the number of runs of adjacent blocks in a mask.
int runCount(uint64_t mask) { return __builtin_popcountll(mask & ~(mask << 1)); }

int64_t writePages(DiskFile &main, const LogIndex &index, const LogIndex::File &file, int64_t limit) {
  GatheringWriter writer(main, limit);
  const int64_t firstNewPage = pageCeiling(file.baseSize) / kPageSize;
  char content[kPageSize];
  size_t unreleased = 0;
  forEachPage(file.pages, [&](size_t first, size_t last) {
    const uint32_t page = file.pages[first].page;
    uint64_t mask = 0;
    for (size_t index = first; index < last; index++) mask |= file.pages[index].mask;
    // A page that the main file did not have starts as zeros, and is written whole. A page that was there before, or
    // was written directly, has content in the main file. It is written whole if that is cheaper than many pieces.
    if (page >= firstNewPage && !file.isDirect(page)) {
      std::memset(content, 0, sizeof content);
      mask = ~0ULL;
    } else if (runCount(mask) > kMostPieces) {
      const size_t count = main.read(page * kPageSize, content, kPageSize);
      std::memset(content + count, 0, kPageSize - count);
      mask = ~0ULL;
    }
    for (size_t index = first; index < last; index++) applyBlocks(file.pages[index], content);
    writeBlocks(writer, page, mask, content);
    unreleased += last - first;
    if (unreleased >= kMostUnreleased) {
      index.release();
      unreleased = 0;
    }
  });
  writer.flush();
  index.release();
  return writer.written();
}

// Returns the newest checksum of each page. If a page was written directly and also logged, the logged checksum is
// newer.
std::vector<PageSums::Entry> sumsOf(const LogIndex::File &file) {
  std::vector<PageSums::Entry> logged;
  forEachPage(file.pages, [&](size_t, size_t last) {
    logged.push_back({file.pages[last - 1].page, file.pages[last - 1].sum});
  });
  if (file.direct.empty()) return logged;

  std::vector<PageSums::Entry> direct;
  for (const LogIndex::DirectRange &range : file.direct) {
    for (uint32_t index = 0; index < range.count; index++) {
      direct.push_back({range.firstPage + index, load64(range.sums + 8 * static_cast<size_t>(index))});
    }
  }
  auto precedes = [](const PageSums::Entry &left, const PageSums::Entry &right) { return left.page < right.page; };
  std::sort(direct.begin(), direct.end(), precedes);
  // For a page in both lists, `set_union` takes the logged entry, because it is in the first list.
  std::vector<PageSums::Entry> all;
  std::set_union(logged.begin(), logged.end(), direct.begin(), direct.end(), std::back_inserter(all), precedes);
  return all;
}

// Returns the sectors of checksums that an interrupted checkpoint of these logs may have torn. If the file was cut, the
// sector at the cut is one of them. The index no longer lists the pages after the cut, but that sector can also have
// checksums of pages before the cut.
std::vector<int64_t> writtenSectors(
  const LogIndex::File &file, const std::vector<PageSums::Entry> &entries, int64_t perSector) {
  std::vector<int64_t> sectors;
  for (const PageSums::Entry &entry : entries) sectors.push_back(entry.page / perSector);
  if (file.cutSize != INT64_MAX) sectors.push_back(file.cutSize / kPageSize / perSector);
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  return sectors;
}

// Adds the checksums of the other pages in the sectors that were being written, which may have been torn. These pages
// were not being written, so they are intact, and their checksums can be computed. `perSector`: the number of entries
// in a sector.
void addNeighbours(
  DiskFile &main, const LogIndex::File &file, int64_t perSector, std::vector<PageSums::Entry> &entries) {
  std::vector<PageSums::Entry> all;
  const int64_t pageCount = pageCeiling(file.size) / kPageSize;
  char content[kPageSize];
  auto entry = entries.begin();
  for (const int64_t sector : writtenSectors(file, entries, perSector)) {
    for (int64_t page = sector * perSector; page < std::min(pageCount, (sector + 1) * perSector); page++) {
      if (entry != entries.end() && entry->page == page) {
        all.push_back(*entry++);
        continue;
      }
      const size_t count = main.read(page * kPageSize, content, kPageSize);
      std::memset(content + count, 0, kPageSize - count);
      all.push_back({static_cast<uint32_t>(page), pageChecksum(content, file.number, page)});
    }
  }
  entries = std::move(all);
}

// Tests whether a main file is missing or cut short. Such a file is left as it is. If it were extended to the length in
// the log, it would look complete, and could get any size that a damaged log claims. When the file is opened, its
// checksums show its correct size.
bool isCutShort(DiskFile *main, const LogIndex::File &file) { return !main || main->size() < file.baseSize; }

void flushAndClose(std::vector<std::unique_ptr<DiskFile>> &files) {
  for (const std::unique_ptr<DiskFile> &file : files) file->flush();
  files.clear();
}

}  // namespace

int64_t writeBackToMainFiles(Disk &disk, const LogIndex &index, bool isRecovery, int64_t tornSectorSize) {
  std::vector<std::unique_ptr<DiskFile>> written;
  const bool flushesAll = index.files.size() > kMostFlushes;
  bool hasNewFiles = false;
  int64_t byteCount = 0;
  for (const auto &[number, file] : index.files) {
    if (file.isDropped) continue;
    hasNewFiles |= file.isNew;
    std::unique_ptr<DiskFile> main = disk.open(file.name, file.baseSize > 0 ? Disk::Mode::write : Disk::Mode::create);
    if (isCutShort(main.get(), file)) {
      written.push_back(PageSums::write(disk, file.name, number, file.size, sumsOf(file)));
      continue;
    }
    if (isRecovery) {
      // Cut off the garbage that an unfinished large commit left after the base size. If a later commit of the index
      // wrote pages there directly, they must stay.
      if (file.direct.empty()) cutOff(*main, file.baseSize, tornSectorSize > 0);
    }
    if (main->size() > file.cutSize) main->resize(file.cutSize);
    int64_t limit = file.size;
    // An unfinished large commit may have extended the file beyond its end. If the last page was being written, a torn
    // sector may have left garbage after the end. Overwrite that part of the page with zeros.
    if (isRecovery && tornSectorSize > 0) limit = std::max(limit, std::min(main->size(), pageCeiling(file.size)));
    byteCount += writePages(*main, index, file, limit);
    if (isRecovery) {
      if (main->size() < file.size) main->resize(file.size);
      cutOff(*main, file.size, tornSectorSize > 0);
    }
    std::vector<PageSums::Entry> entries = sumsOf(file);
    if (isRecovery && tornSectorSize > 0) addNeighbours(*main, file, tornSectorSize / 8, entries);
    std::unique_ptr<DiskFile> sums = PageSums::write(disk, file.name, number, file.size, entries);
    if (flushesAll) continue;
    written.push_back(std::move(main));
    written.push_back(std::move(sums));
    if (written.size() >= kMostOpen) flushAndClose(written);
  }
  flushAndClose(written);
  if (flushesAll) disk.flushAll();
  if (hasNewFiles) disk.flushDirectory();
  return byteCount;
}

}  // namespace todana
