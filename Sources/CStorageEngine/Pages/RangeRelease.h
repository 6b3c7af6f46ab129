// The release of many ranges of mapped memory in few system calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/uio.h>

namespace todana {

// A list of ranges that one function of DataFile fills and releases. One thread; DataFile holds the repair lock.
class RangeRelease {
 public:
  RangeRelease() = default;
  ~RangeRelease() { flush(); }
  RangeRelease(const RangeRelease &) = delete;
  RangeRelease &operator=(const RangeRelease &) = delete;

  void add(char *start, int64_t byteCount);
  // Releases the added ranges. The destructor calls it, too.
  void flush();

 private:
  static constexpr size_t kMost = 256;

  iovec ranges_[kMost];
  size_t count_ = 0;
};

}  // namespace todana
