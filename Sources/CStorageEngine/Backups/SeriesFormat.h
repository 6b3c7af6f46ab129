// The layout of the files of a backup series, specified in docs/formats/backup-series.md. All types are plain values,
// without locks.
#pragma once

#include <cstdint>
#include <cstring>

#include "../Disk/Checksum.h"

namespace todana {

// The size of a block. A segment is a sequence of blocks. A piece of a file, padded with zeros, takes one block, as
// does a group's table.
constexpr int64_t kPieceSize = 4096;
constexpr size_t kGroupPieces = 128;
constexpr int64_t kGroupSize = kPieceSize * static_cast<int64_t>(kGroupPieces);

constexpr uint64_t kHeaderSeed = 5, kPieceSeed = 6, kTableSeed = 7, kManifestSeed = 8;

// The checksum and place of a block. Segment 0 has no file: its block 0 is zeros.
struct BlockEntry {
  WideSum sum;
  uint32_t segment;
  uint32_t block;
};
static_assert(sizeof(BlockEntry) == 24);

// The pieces of a group, in order. Entries after the file's end are zero.
struct GroupTable {
  BlockEntry pieces[kGroupPieces];
  char padding[kPieceSize - kGroupPieces * sizeof(BlockEntry)];
};
static_assert(sizeof(GroupTable) == kPieceSize);

struct ManifestHeader {
  char magic[8];
  uint32_t formatVersion;
  uint32_t reserved;
  uint8_t storeID[16];
  uint64_t number;
  uint64_t commitNumber;
  int64_t milliseconds;       // since 1970, UTC
  uint64_t byteCount;         // size of the store's files
  uint64_t segmentByteCount;     // size of the segment written with it; 0 if there is none
  uint64_t manifestByteCount;
  uint32_t fileCount;
  uint32_t reserved2;
  uint64_t checksum;          // of the bytes before it
};
static_assert(sizeof(ManifestHeader) == 96);

constexpr char kManifestMagic[] = "TDNBKP\r\n";
constexpr uint32_t kSeriesVersion = 1;

inline int64_t groupCount(int64_t byteCount) { return (byteCount + kGroupSize - 1) / kGroupSize; }

// Returns the number of pieces of the group that begins at `offset`.
inline size_t pieceCount(int64_t byteCount, int64_t offset) {
  const int64_t rest = byteCount - offset;
  return rest >= kGroupSize ? kGroupPieces : static_cast<size_t>((rest + kPieceSize - 1) / kPieceSize);
}

}  // namespace todana
