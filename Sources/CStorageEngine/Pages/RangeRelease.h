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
  // Lets go of those that were added; the destructor does it, too.
  void flush();

 private:
  static constexpr size_t kMost = 256;

  iovec ranges_[kMost];
  size_t count_ = 0;
};

}  // namespace todana
