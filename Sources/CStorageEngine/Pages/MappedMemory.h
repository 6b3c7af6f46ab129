// How much of files the process has mapped in memory, which counts as its own though it is the system's cache.
#pragma once

#include <atomic>
#include <cstdint>

namespace todana {

// Any thread.
class MappedMemory {
 public:
  MappedMemory();
  ~MappedMemory();
  MappedMemory(const MappedMemory &) = delete;
  MappedMemory &operator=(const MappedMemory &) = delete;

  // Whether there is so much more of it than when all was let go of that it has to be again. True where the system does
  // not tell.
  bool hasGrown() { return growth() > kMostGrowth; }
  // After that: whether most of it is still there.
  bool isLarge() { return growth() > kMostGrowth / 2; }
  // All was let go of: what there is now is others', or has to stay.
  void noteReleased();

 private:
  static constexpr int64_t kMostGrowth = 16 << 20;

  // Less than there was when all was let go of is at most what others have: another group may have let go of its own.
  int64_t growth();
  // Bytes, or -1.
  int64_t byteCount() const;

  int descriptor_;
  std::atomic<int64_t> others_;
};

}  // namespace todana
