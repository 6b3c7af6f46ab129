// The parts of one data file that were read, and whose memory was not released since; kept only where memory is
// limited.
#pragma once

#include <atomic>
#include <cstdint>

#include "PageTable.h"

namespace todana {

// One bit for each window of 64 KiB. DataFile owns it, notes windows in it, and takes them to release their memory.
//
// Any thread, by atomic operations. `grow` is called only while other threads are excluded.
class ReadParts {
 public:
  // The size that the kernel maps at least around a page that is read.
  static constexpr int64_t kWindowSize = 64 << 10;
  static constexpr int64_t kWindowsPerEntry = 64;

  // Makes room for windows up to a size of the file.
  void grow(int64_t byteCount) {
    windows_.grow((byteCount + kWindowsPerEntry * kWindowSize - 1) / (kWindowsPerEntry * kWindowSize));
  }

  bool contains(int64_t offset) const {
    const int64_t window = offset / kWindowSize;
    return (__atomic_load_n(&windows_[window / kWindowsPerEntry], __ATOMIC_RELAXED) >> window % kWindowsPerEntry) & 1;
  }
  // Notes a window. Returns true after every fourth one, when memory should be checked: each may have brought 2 MiB
  // into memory.
  bool add(int64_t offset) {
    const int64_t window = offset / kWindowSize;
    __atomic_fetch_or(&windows_[window / kWindowsPerEntry], 1ULL << window % kWindowsPerEntry, __ATOMIC_RELAXED);
    return count_.fetch_add(1, std::memory_order_relaxed) % 4 == 3;
  }

  // Forgets all windows. Returns whether there were any.
  bool clearCount() { return count_.exchange(0, std::memory_order_relaxed) > 0; }
  int64_t entryCount() const { return windows_.count(); }
  // Forgets the windows of an entry, and returns a bit for each.
  uint64_t take(int64_t entry) {
    if (__atomic_load_n(&windows_[entry], __ATOMIC_RELAXED) == 0) return 0;
    return __atomic_exchange_n(&windows_[entry], 0, __ATOMIC_RELAXED);
  }

 private:
  PageTable<uint64_t> windows_;
  std::atomic<uint32_t> count_{0};
};

}  // namespace todana
