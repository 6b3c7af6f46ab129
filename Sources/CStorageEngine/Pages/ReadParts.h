// The parts of a data file that were read since their memory was last released. Used only if memory is limited.
#pragma once

#include <atomic>
#include <cstdint>

#include "PageTable.h"

namespace todana {

// A set of windows of 64 KiB, with one bit for each. DataFile owns it, adds windows, and takes them to release their
// memory.
//
// Any thread, by atomic operations. `grow` is called only while other threads are excluded.
class ReadParts {
 public:
  // The minimum size that the kernel maps around a page that is read.
  static constexpr int64_t kWindowSize = 64 << 10;
  static constexpr int64_t kWindowsPerEntry = 64;

  // Makes room for the windows of a file of this size.
  void grow(int64_t byteCount) {
    windows_.grow((byteCount + kWindowsPerEntry * kWindowSize - 1) / (kWindowsPerEntry * kWindowSize));
  }

  bool contains(int64_t offset) const {
    const int64_t window = offset / kWindowSize;
    return (__atomic_load_n(&windows_[window / kWindowsPerEntry], __ATOMIC_RELAXED) >> window % kWindowsPerEntry) & 1;
  }
  // Adds a window. Returns true after every fourth call, when memory should be checked: each window may have brought 2
  // MiB into memory.
  bool add(int64_t offset) {
    const int64_t window = offset / kWindowSize;
    __atomic_fetch_or(&windows_[window / kWindowsPerEntry], 1ULL << window % kWindowsPerEntry, __ATOMIC_RELAXED);
    return count_.fetch_add(1, std::memory_order_relaxed) % 4 == 3;
  }

  // Resets the count of windows. Returns whether there were any.
  bool clearCount() { return count_.exchange(0, std::memory_order_relaxed) > 0; }
  int64_t entryCount() const { return windows_.count(); }
  // Removes the windows of an entry. Returns one bit for each.
  uint64_t take(int64_t entry) {
    if (__atomic_load_n(&windows_[entry], __ATOMIC_RELAXED) == 0) return 0;
    return __atomic_exchange_n(&windows_[entry], 0, __ATOMIC_RELAXED);
  }

 private:
  PageTable<uint64_t> windows_;
  std::atomic<uint32_t> count_{0};
};

}  // namespace todana
