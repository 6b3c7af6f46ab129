// The repaired pages of one data file. They had a single wrong bit, and the next commit writes them correctly.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "../Disk/PageSize.h"
#include "../Disk/ReaderWriterLock.h"

namespace todana {

// The list of repaired or accepted pages, and copies of repaired ones. `content` is always the mapped page.
//
// Each DataFile owns one, and calls it. Any thread: its own lock guards the list, and is taken last.
class PageRepairs {
 public:
  explicit PageRepairs(uint32_t fileNumber) : fileNumber_(fileNumber) {}

  // Returns the lock under which DataFile releases pages, so that none is repaired at that time. Taken last.
  ReaderWriterLock &lock() const TDN_RETURNS(lock_) { return lock_; }

  // Sets the end of the pages that are repaired when they are read. These and page 0 lead to the rest of the file.
  // Damage in later pages concerns only those pages, and there may be too many of them to try.
  void setEnd(int64_t end) { end_.store(end, std::memory_order_relaxed); }

  // Repairs a page in memory when it is read for the first time. Only its checksum has been read so far, and no thread
  // releases it. Returns false if more than one bit is wrong.
  bool repair(char *content, int64_t page, uint64_t expectedSum, uint64_t foundSum) TDN_EXCLUDES(lock_);
  // Returns a repaired copy, which lives as long as the file; null if more than one bit is wrong. The first call for a
  // page takes ten milliseconds. After 256 pages, no others are tried.
  const char *copy(const char *content, int64_t page, uint64_t expectedSum) TDN_EXCLUDES(lock_);

  // Adds a page that a commit repairs or accepts.
  void add(int64_t page) TDN_EXCLUDES(lock_);
  // Returns the number of repaired and accepted pages.
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  // Remove pages that the main file now has correctly, or that are no longer in the file.
  void forget(int64_t page) TDN_EXCLUDES(lock_);
  void forgetFrom(int64_t firstPage) TDN_EXCLUDES(lock_);

  bool isEmpty() const { return !hasPages_.load(std::memory_order_relaxed); }
  // Tests whether only memory has the correct page. Under the lock, or inside `apply`.
  bool contains(int64_t page) const;
  std::vector<uint32_t> pages() const TDN_EXCLUDES(lock_);

 private:
  bool isHopeless(uint32_t page) const TDN_REQUIRES(lock_);

  const uint32_t fileNumber_;
  mutable ReaderWriterLock lock_;
  std::atomic<int64_t> end_{kPageSize};
  std::atomic<bool> hasPages_{false};
  std::vector<uint32_t> pages_ TDN_GUARDED_BY(lock_);
  std::vector<uint32_t> hopelessPages_ TDN_GUARDED_BY(lock_);  // pages with more than one wrong bit
  std::map<int64_t, std::unique_ptr<char[]>> copies_ TDN_GUARDED_BY(lock_);  // null: more than one bit is wrong
  std::atomic<uint32_t> count_{0};
};

}  // namespace todana
