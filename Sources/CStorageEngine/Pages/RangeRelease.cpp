#include "RangeRelease.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace todana {

void RangeRelease::add(char *start, int64_t byteCount) {
  ranges_[count_++] = {start, static_cast<size_t>(byteCount)};
  if (count_ == kMost) flush();
}

void RangeRelease::flush() {
  size_t done = 0;
#if defined(__linux__) && defined(SYS_process_madvise)
  // Linux supports this for the calling process, denoted by this descriptor, since 6.14, and with one TLB flush for all
  // ranges since 6.16.
  constexpr int kSelf = -10000;
  if (count_ > 1) {
    size_t expected = 0;
    for (size_t index = 0; index < count_; index++) expected += ranges_[index].iov_len;
    const long released = ::syscall(SYS_process_madvise, kSelf, ranges_, count_, MADV_DONTNEED, 0);
    if (released == static_cast<long>(expected)) done = count_;
  }
#endif
  for (; done < count_; done++) ::madvise(ranges_[done].iov_base, ranges_[done].iov_len, MADV_DONTNEED);
  count_ = 0;
}

}  // namespace todana
