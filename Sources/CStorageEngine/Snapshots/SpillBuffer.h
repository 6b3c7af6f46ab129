// A buffer of bytes that are appended once and read back later. It uses memory up to a limit, then an unlinked
// temporary file. For an encrypted store that file is sealed under a key that exists in memory only.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../../CSealing/Primitives/SecretBytes.h"
#include "../Disk/ForkGuard.h"
#include "MemoryBudget.h"

namespace todana {

// The buffer of a Snapshot's old values, or of a `tdn_spill`.
//
// It has no lock. `append` requires that no other thread reads, as in a commit. Otherwise any thread may call `read`.
class SpillBuffer {
 public:
  // `budget`: for the bytes in memory, before the buffer uses a file; null for none.
  SpillBuffer(std::shared_ptr<MemoryBudget> budget, bool seals) : budget_(std::move(budget)), seals_(seals) {}
  ~SpillBuffer();
  SpillBuffer(const SpillBuffer &) = delete;
  SpillBuffer &operator=(const SpillBuffer &) = delete;

  // Appends bytes. Returns the position at which to read them.
  uint64_t append(const char *bytes, size_t byteCount);
  void read(uint64_t position, char *buffer, size_t byteCount) const;

 private:
  static constexpr uint64_t kChunkSize = 64 << 10;
  static constexpr uint64_t kInFile = 1ULL << 63;

  bool fitsIntoMemory(size_t byteCount);
  uint64_t appendToFile(const char *bytes, size_t byteCount);
  void readFromFile(uint64_t position, char *buffer, size_t byteCount) const;

  const std::shared_ptr<MemoryBudget> budget_;
  const bool seals_;
  SecretBytes key_;  // the key of the file
  std::vector<std::unique_ptr<char[]>> chunks_;
  uint64_t memorySize_ = 0;
  int descriptor_ = -1;
  uint64_t fileSize_ = 0;
  const ForkGuard guard_;
};

}  // namespace todana
