// The memory that several buffers share.
#pragma once

#include <atomic>
#include <cstdint>

namespace todana {

// A number of bytes that buffers take and give back. SnapshotList has one for the old values of all open snapshots;
// SpillBuffer takes from it. Any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t byteCount) : left_(byteCount) {}
  MemoryBudget(const MemoryBudget &) = delete;
  MemoryBudget &operator=(const MemoryBudget &) = delete;

  // Takes bytes. Returns false, and takes none, if fewer are left.
  bool take(int64_t byteCount) {
    int64_t left = left_.load(std::memory_order_relaxed);
    while (left >= byteCount) {
      if (left_.compare_exchange_weak(left, left - byteCount, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void giveBack(int64_t byteCount) { left_.fetch_add(byteCount, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> left_;
};

}  // namespace todana
