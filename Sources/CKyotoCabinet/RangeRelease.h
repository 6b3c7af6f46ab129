// Lets go of many ranges of mapped memory, in as few calls of the system as it takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/uio.h>

namespace todana {

class RangeRelease {
 public:
  RangeRelease() = default;
  ~RangeRelease() { flush(); }
  RangeRelease(const RangeRelease &) = delete;
  RangeRelease &operator=(const RangeRelease &) = delete;

  void add(char *start, int64_t byteCount);

 private:
  static constexpr size_t kMost = 256;

  void flush();

  iovec ranges_[kMost];
  size_t count_ = 0;
};

}  // namespace todana
