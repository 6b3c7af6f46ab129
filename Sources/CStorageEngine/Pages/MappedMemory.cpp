#include "MappedMemory.h"

#include <algorithm>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "../Disk/SystemCall.h"

namespace todana {

namespace {

#if defined(__linux__)
int openStatistics() {
  return uninterrupted([] { return ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC); });
}
#else
int openStatistics() { return -1; }
#endif

}  // namespace

MappedMemory::MappedMemory() : descriptor_(openStatistics()), others_(byteCount()) {}

MappedMemory::~MappedMemory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int64_t MappedMemory::growth() {
  const int64_t now = byteCount();
  if (now < 0) return INT64_MAX;
  int64_t others = others_.load(std::memory_order_relaxed);
  while (now < others && !others_.compare_exchange_weak(others, now, std::memory_order_relaxed)) {}
  return now - std::min(now, others);
}

void MappedMemory::noteReleased() { others_.store(byteCount(), std::memory_order_relaxed); }

// Reads the third number of statm, the pages of files (see proc(5)).
int64_t MappedMemory::byteCount() const {
  if (descriptor_ < 0) return -1;
  char text[128];
  const ssize_t length = uninterrupted([&] { return ::pread(descriptor_, text, sizeof text - 1, 0); });
  if (length <= 0) return -1;
  text[length] = 0;
  long long pageCount;
  if (std::sscanf(text, "%*d %*d %lld", &pageCount) != 1) return -1;
  return pageCount * ::sysconf(_SC_PAGESIZE);
}

}  // namespace todana
