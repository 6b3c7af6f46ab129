// One data file of a group: a private mapping of its main file that commits through the group's log.
//
// Nothing written here reaches the main file before a checkpoint (no-steal), except whole new pages of a large commit.
// Bytes at and after `size()` read as zero. Sizes only grow; a file shrinks by being replaced.
//
// Threads: `write`, `grow` only inside FileGroup::commit's `apply` (one thread, readers excluded); `at`, `read`,
// `verify` there or under a FileGroup::ReadLock. A building file belongs to the thread that builds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "PageMasks.h"

namespace todana {

class FileGroup;

constexpr int64_t kPageSize = 4096;

inline int64_t pageCeiling(int64_t byteCount) { return (byteCount + kPageSize - 1) & ~(kPageSize - 1); }

class DataFile {
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
  // Throws Failure(TDN_DAMAGED) with file and page. The range must lie within `size()`.
  void verify(int64_t offset, int64_t byteCount) const {
    for (int64_t page = offset / kPageSize, last = (offset + byteCount - 1) / kPageSize; page <= last; page++) {
      if (!isVerified(page)) verifyPage(page);
    }
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

  // Bytes of the newest commit: what a rollback returns to.
  int64_t committedSize() const { return committedSize_; }

 private:
  friend class FileGroup;
  DataFile(FileGroup &group, uint32_t number, std::string name);

  bool isVerified(int64_t page) const {
    return (verified_[page >> 6].load(std::memory_order_acquire) >> (page & 63)) & 1;
  }
  void verifyPage(int64_t page) const;

  FileGroup &group_;
  const uint32_t number_;
  const std::string name_;
  char *base_ = nullptr;
  std::atomic<int64_t> size_{0};
  int64_t committedSize_ = 0;
  std::unique_ptr<std::atomic<uint64_t>[]> verified_;
};

}  // namespace todana
