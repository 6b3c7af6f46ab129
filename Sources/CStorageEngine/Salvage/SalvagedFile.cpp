#include "SalvagedFile.h"

#include <algorithm>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Pages/DataFile.h"

namespace todana {

namespace {

constexpr int64_t kWindow = 1 << 20;

}  // namespace

SalvagedFile::SalvagedFile(Disk &disk, uint32_t number, const std::string &name, const LogIndex::File *logged)
    : number_(number), name_(name), logged_(logged), main_(disk.open(name, Disk::Mode::read)) {
  size_ = main_ ? main_->size() : 0;
  // Bytes after the committed end do not count. A committed end beyond the real one is ignored.
  try {
    const int64_t committedSize = PageSums::open(disk, name, number, true)->committedSize();
    if (!logged_) size_ = std::min(size_, committedSize);
  } catch (const Failure &) {
  }
  if (logged_) size_ = logged_->hasAllNewPages() ? logged_->size : std::min(size_, logged_->size);
  size_ = std::min(size_, kLargestFile);
  const size_t pageCount = static_cast<size_t>(pageCeiling(size_) / kPageSize);
  verdicts_.resize(pageCount);
  try {
    sums_ = PageSums::read(disk, name, 0, pageCount);
  } catch (const Failure &) {
    // The checksums are missing, so only the logs can confirm pages.
  }
}

const char *SalvagedFile::view(int64_t offset, int64_t byteCount) {
  if (offset < windowStart_ || offset + byteCount > windowEnd_) {
    windowStart_ = offset / kPageSize * kPageSize;
    windowEnd_ = std::min(pageCeiling(size_), std::max(windowStart_ + kWindow, pageCeiling(offset + byteCount)));
    window_.resize(static_cast<size_t>(windowEnd_ - windowStart_));
    readPages(windowStart_ / kPageSize, (windowEnd_ - windowStart_) / kPageSize, window_.data());
  }
  return window_.data() + (offset - windowStart_);
}

bool SalvagedFile::isSound(int64_t offset, int64_t byteCount) {
  if (offset < 0 || byteCount <= 0 || offset > size_ - byteCount) return false;
  for (int64_t page = offset / kPageSize; page <= (offset + byteCount - 1) / kPageSize; page++) {
    Verdict &verdict = verdicts_[static_cast<size_t>(page)];
    if (verdict == Verdict::unknown) verdict = isSoundPage(page) ? Verdict::sound : Verdict::damaged;
    if (verdict == Verdict::damaged) return false;
  }
  return true;
}

bool SalvagedFile::isSoundPage(int64_t page) {
  uint64_t expected;
  if (!expectedSum(page, &expected)) return false;
  char content[kPageSize];
  readPages(page, 1, content);
  // Bytes after the end of the file count as zeros.
  const int64_t used = std::min(kPageSize, size_ - page * kPageSize);
  std::memset(content + used, 0, static_cast<size_t>(kPageSize - used));
  return pageChecksum(content, number_, page) == expected;
}

// MARK: Reading

void SalvagedFile::readPages(int64_t firstPage, int64_t pageCount, char *pages) {
  readMain(firstPage * kPageSize, pages, pageCount * kPageSize);
  if (!logged_) return;
  const int64_t firstNewPage = pageCeiling(logged_->baseSize) / kPageSize;
  for (int64_t index = 0; index < pageCount; index++) {
    const int64_t page = firstPage + index;
    auto [change, end] = changesOf(page);
    if (change == end) continue;
    char *content = pages + index * kPageSize;
    if (page >= firstNewPage && !logged_->isDirect(static_cast<uint32_t>(page))) std::memset(content, 0, kPageSize);
    for (; change < end; change++) applyBlocks(*change, content);
  }
}

// Reads the range in one piece, or page by page if the device fails. Unreadable bytes become zeros.
void SalvagedFile::readMain(int64_t offset, char *bytes, int64_t byteCount) {
  std::memset(bytes, 0, static_cast<size_t>(byteCount));
  if (!main_) return;
  try {
    main_->read(offset, bytes, static_cast<size_t>(byteCount));
    return;
  } catch (const Failure &) {
    std::memset(bytes, 0, static_cast<size_t>(byteCount));
  }
  for (int64_t done = 0; done < byteCount; done += kPageSize) {
    try {
      main_->read(offset + done, bytes + done, kPageSize);
    } catch (const Failure &) {
      std::memset(bytes + done, 0, kPageSize);
    }
  }
}

std::pair<const LogIndex::Page *, const LogIndex::Page *> SalvagedFile::changesOf(int64_t page) const {
  struct Order {
    bool operator()(const LogIndex::Page &left, int64_t right) const { return left.page < right; }
    bool operator()(int64_t left, const LogIndex::Page &right) const { return left < right.page; }
  };
  const std::vector<LogIndex::Page> &pages = logged_->pages;
  auto range = std::equal_range(pages.begin(), pages.end(), page, Order());
  return {pages.data() + (range.first - pages.begin()), pages.data() + (range.second - pages.begin())};
}

bool SalvagedFile::expectedSum(int64_t page, uint64_t *sum) const {
  if (logged_) {
    auto [first, end] = changesOf(page);
    if (first != end) {
      *sum = (end - 1)->sum;
      return true;
    }
    for (const LogIndex::DirectRange &range : logged_->direct) {
      if (page < range.firstPage || page - range.firstPage >= range.count) continue;
      *sum = load64(range.sums + 8 * (page - range.firstPage));
      return true;
    }
  }
  if (static_cast<size_t>(page) >= sums_.size()) return false;
  *sum = sums_[static_cast<size_t>(page)];
  return true;
}

}  // namespace todana
