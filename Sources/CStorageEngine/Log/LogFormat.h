// The constants and layouts of the redo log, specified in docs/formats/redo-log.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace todana {

constexpr char kLogMagic[] = "TDNLOG01";
constexpr uint32_t kFrameMagic = 0x464E4454;  // "TDNF"
constexpr uint32_t kLastFrame = 0x80000000u;
constexpr int64_t kLogHeaderCopy = 4096;
constexpr int64_t kFirstFrame = 8192;
constexpr size_t kFrameHeaderSize = 48;
constexpr size_t kMaxPayload = 256 << 10;
constexpr int64_t kBlockSize = 64;

constexpr uint8_t kOpEnd = 0;
constexpr uint8_t kOpBatch = 1;
constexpr uint8_t kOpFile = 2;
constexpr uint8_t kOpPage = 3;
constexpr uint8_t kOpDirect = 4;
constexpr uint8_t kFileIsNew = 1;
constexpr uint8_t kFileIsDropped = 2;
constexpr uint8_t kFileIsCut = 4;

// The header of a log file, stored in two copies. LogWriter writes it; LogIndex reads it. A value: any thread.
struct LogHeader {
  char magic[8];
  uint64_t generation;
  uint64_t salt;
  uint64_t firstCommit;
  uint32_t alignment;
  uint32_t reserved;
  uint64_t checksum;
};
static_assert(sizeof(LogHeader) == 48);

// The header of a frame. Each checksum is seeded with that of the previous frame. LogWriter writes it; LogIndex reads
// it.
struct FrameHeader {
  uint32_t magic;
  uint32_t index;
  uint64_t salt;
  uint64_t commit;
  uint64_t flushed;
  uint32_t length;
  uint32_t reserved;
  uint64_t checksum;
};
static_assert(sizeof(FrameHeader) == kFrameHeaderSize);

inline uint32_t load32(const void *bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline uint64_t load64(const void *bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline const char *logName(uint64_t generation) { return generation & 1 ? "log-a" : "log-b"; }

}  // namespace todana
