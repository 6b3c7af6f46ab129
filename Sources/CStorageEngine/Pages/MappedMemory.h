// The amount of mapped file pages in memory, which the system counts as memory of the process.
#pragma once

#include <atomic>
#include <cstdint>

namespace todana {

// The growth of mapped memory since the last full release. MemoryLimit owns it, and calls it under its own mutex.
//
// Any thread: it stores one atomic number.
class MappedMemory {
 public:
  MappedMemory();
  ~MappedMemory();
  MappedMemory(const MappedMemory &) = delete;
  MappedMemory &operator=(const MappedMemory &) = delete;

  // Tests whether mapped memory has grown by more than `kMostGrowth` since the last full release. True if the system
  // cannot report it.
  bool hasGrown() { return growth() > kMostGrowth; }
  // Tests whether the growth is still more than half of `kMostGrowth`. Called after a partial release.
  bool isLarge() { return growth() > kMostGrowth / 2; }
  // Records the current amount as the new baseline. Called after a full release.
  void noteReleased();

 private:
  static constexpr int64_t kMostGrowth = 16 << 20;

  // Returns the growth in bytes. Lowers the baseline if the amount is smaller than at the last full release, because
  // another group may have released memory.
  int64_t growth();
  // Returns the amount in bytes, or -1.
  int64_t byteCount() const;

  int descriptor_;
  std::atomic<int64_t> others_;
};

}  // namespace todana
