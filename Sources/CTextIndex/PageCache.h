// Pages of segments in memory.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "Coding.h"

namespace todana::text {

constexpr size_t kPageSize = 8192;

class PageSource {
 public:
  virtual ~PageSource() = default;
  // Reads a page into a buffer of kPageSize bytes, and returns its size. Throws CallerFailed, Damaged.
  virtual size_t read(uint64_t number, uint8_t *buffer) = 0;
};

struct Page {
  // The tables of the segment (SegmentTables), and the number of the page, from 1.
  uint64_t tables = 0;
  uint64_t number = 0;
  size_t size = 0;
  uint8_t bytes[kPageSize];
};

using SharedPage = std::shared_ptr<const Page>;

// Keeps the pages of all segments that searches have read last. Threads may share it.
class PageCache {
 public:
  explicit PageCache(size_t byteCapacity);

  // Returns null if it does not have the page.
  SharedPage find(uint64_t tables, uint64_t number);
  void insert(const SharedPage &page);

 private:
  static constexpr size_t kWays = 4;
  static constexpr size_t kLocks = 16;

  // Pages that take the place of each other; those that were used last come first.
  struct Set {
    SharedPage pages[kWays];
  };

  size_t set(uint64_t tables, uint64_t number) const;

  std::vector<Set> sets_;
  // Each for the sets whose number has the same remainder.
  std::mutex locks_[kLocks];
};

// Reads the pages of a segment, for one thread.
class SegmentPages {
 public:
  // `tables` is the number of the segment's tables. `cache` may be null, and must live as long.
  SegmentPages(PageSource &source, uint64_t tables, PageCache *cache)
      : source_(source), tables_(tables), cache_(cache) {}

  // Returns a page. The reference is valid until the next call. Throws as PageSource does.
  const SharedPage &page(uint64_t number);

 private:
  // Pages that take the place of each other. The one that was used before the newest one is kept, too, because a search
  // moves in several lists.
  struct Set {
    SharedPage pages[2];
    uint8_t newest = 0;
  };

  static constexpr size_t kSets = 32;

  SharedPage read(uint64_t number, SharedPage &old);

  PageSource &source_;
  const uint64_t tables_;
  PageCache *const cache_;
  Set sets_[kSets];
};

}  // namespace todana::text
