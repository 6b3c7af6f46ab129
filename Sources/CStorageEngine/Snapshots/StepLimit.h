// The limit at which a reader releases its read lock, so that commits wait at most about a millisecond.
#pragma once

#include <chrono>
#include <cstddef>

namespace todana {

// The progress of one step. HashScan, TreeScan, RecordReader, the rebuild sources and InPlaceCompaction make one for
// each step. One thread.
class StepLimit {
 public:
  static constexpr size_t kByteLimit = 256 << 10;

  // Tests whether the step must end. Called once for each record, with the bytes copied so far under this lock.
  bool isReached(size_t byteCount) {
    if (byteCount >= kByteLimit) return true;
    // The clock matters only if pages come from the disk, and reading it costs more than copying a record.
    return ++recordCount_ % 64 == 0 && std::chrono::steady_clock::now() - start_ > std::chrono::milliseconds(1);
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  size_t recordCount_ = 0;
};

}  // namespace todana
