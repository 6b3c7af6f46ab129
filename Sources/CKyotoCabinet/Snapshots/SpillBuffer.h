// Bytes that are appended once and read back later: in memory up to a limit, then in an unlinked temporary file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace todana {

class SpillBuffer {
 public:
  explicit SpillBuffer(int64_t memoryLimit) : memoryLimit_(memoryLimit) {}
  ~SpillBuffer();
  SpillBuffer(const SpillBuffer &) = delete;
  SpillBuffer &operator=(const SpillBuffer &) = delete;

  // Returns the position to read the bytes at.
  uint64_t append(const char *bytes, size_t byteCount);
  void read(uint64_t position, char *buffer, size_t byteCount) const;

 private:
  static constexpr uint64_t kChunkSize = 64 << 10;
  static constexpr uint64_t kInFile = 1ULL << 63;

  const int64_t memoryLimit_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  uint64_t memorySize_ = 0;
  int descriptor_ = -1;
  uint64_t fileSize_ = 0;
};

}  // namespace todana
