// The amount of file pages that the process has in memory, which the system counts as the process's own.
#pragma once

#include <atomic>
#include <cstdint>

namespace todana {

// A measure of growth since the last full release. MemoryLimit owns it, and calls it under its own mutex.
//
// Any thread: it keeps one atomic number.
class MappedMemory {
 public:
  MappedMemory();
  ~MappedMemory();
  MappedMemory(const MappedMemory &) = delete;
  MappedMemory &operator=(const MappedMemory &) = delete;

  // Tests whether mapped memory has grown by more than `kMostGrowth` since the last full release. True if the system
  // cannot report it.
  bool hasGrown() { return growth() > kMostGrowth; }
  // Tests, after a partial release, whether more than half of `kMostGrowth` is still there.
  bool isLarge() { return growth() > kMostGrowth / 2; }
  // Records the current amount as the new baseline. Called after a full release.
  void noteReleased();

 private:
  static constexpr int64_t kMostGrowth = 16 << 20;

  // Returns the growth in bytes. Lowers the baseline if there is less than at the last full release: another group may
  // have released memory.
  int64_t growth();
  // Returns the bytes, or -1.
  int64_t byteCount() const;

  int descriptor_;
  std::atomic<int64_t> others_;
};

}  // namespace todana
