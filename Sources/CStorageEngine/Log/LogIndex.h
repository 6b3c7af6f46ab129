// The content of a directory's logs, by file and page. Checkpoints, recovery and salvage use it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../Disk/Disk.h"
#include "LogFormat.h"

namespace todana {

// The changes of all commits that count. Each frame was checked.
//
// FileGroup (recovery, and readers without write permission), Checkpointer and SalvageSource build one: one thread
// calls `add` for each log, then `sort`. Afterwards it is immutable: any thread reads it, without a lock.
class LogIndex {
 public:
  struct Page {
    uint32_t page;
    uint32_t generation;  // of the log
    uint64_t mask;
    uint64_t sum;
    const char *blocks;
    uint64_t order;  // position of the change among all changes of the index
  };
  // A log whose commits were added.
  struct Log {
    LogHeader header;
    int64_t end;  // of its last commit
  };
  struct DirectRange {
    uint32_t firstPage;
    uint32_t count;
    const char *sums;
  };
  struct File {
    uint32_t number = 0;
    std::string name;
    int64_t baseSize = 0;  // size before the index's first change, or after a smaller cut
    int64_t size = 0;      // size after the last commit
    int64_t cutSize = INT64_MAX;  // the smallest size to which a commit of the index has cut it
    bool isNew = false;
    bool isDropped = false;
    uint32_t generation = 0;      // of the newest log that mentions it
    std::vector<Page> pages;  // in the order of commits until `sort`
    std::vector<DirectRange> direct;

    bool isDirect(uint32_t page) const;
    // Removes pages after the new end.
    void cut(int64_t newSize);
    // Tests whether the index has all pages that the file has gained, which confirms the file's size. Requires sorted
    // pages.
    bool hasAllNewPages() const;
  };

  // `isSalvaging`: accepts that commits are missing between two logs.
  explicit LogIndex(bool isSalvaging = false) : isSalvaging_(isSalvaging) {}
  ~LogIndex();
  LogIndex(const LogIndex &) = delete;
  LogIndex &operator=(const LogIndex &) = delete;

  static bool isValid(const LogHeader &header);

  // Reads the header of a log. Returns nothing if there is no log, or an empty one. Throws Failure(TDN_DAMAGED) if both
  // copies of the header are damaged.
  static std::optional<LogHeader> readHeader(Disk &disk, const char *name);

  // Adds every commit of a log that counts, up to `end`. Throws Failure(TDN_DAMAGED) if commits that had been flushed
  // are damaged. The logs must be added in the order of their generations.
  void add(Disk &disk, const char *name, const LogHeader &header, int64_t end);

  // Orders each file's pages. The changes of one page stay in the order of commits. Throws Failure(TDN_DAMAGED) if a
  // file has grown by pages that no log has.
  void sort();

  // Releases the memory of the mapped logs, which are read from the files again when they are needed. Any thread.
  void release() const;

  std::map<uint32_t, File> files;
  std::vector<Log> logs;                          // in the order of their generations
  std::vector<std::array<uint8_t, 16>> batchIDs;  // one for each commit
  uint64_t firstCommit = 0;
  uint64_t lastCommit = 0;                        // firstCommit - 1 if there is none
  int64_t byteCount = 0;

 private:
  struct Mapping {
    const char *base;
    int64_t size;
  };

  // The maximum size of a log's part in memory while it is added.
  static constexpr int64_t kWindow = 1 << 20;

  void addOperations(const char *payload, size_t length, const char *logName);
  void addFile(
    uint32_t number, uint8_t flags, std::string_view name, int64_t baseSize, int64_t size, const char *logName);

  const bool isSalvaging_;
  std::vector<Mapping> mappings_;
  File *current_ = nullptr;
  uint64_t order_ = 0;
};

// Calls `body(first, last)` for the changes of each page of a sorted file.
template <class Body> void forEachPage(const std::vector<LogIndex::Page> &pages, Body body) {
  for (size_t first = 0; first < pages.size();) {
    size_t last = first + 1;
    while (last < pages.size() && pages[last].page == pages[first].page) last++;
    body(first, last);
    first = last;
  }
}

// Copies a page's changed blocks to `page`, 4 KiB.
inline void applyBlocks(const LogIndex::Page &change, char *page) {
  if (change.mask == ~0ULL) {
    std::memcpy(page, change.blocks, 4096);
    return;
  }
  const char *blocks = change.blocks;
  for (uint64_t mask = change.mask; mask; mask &= mask - 1, blocks += kBlockSize) {
    std::memcpy(page + kBlockSize * __builtin_ctzll(mask), blocks, kBlockSize);
  }
}

}  // namespace todana
