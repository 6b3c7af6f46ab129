// The reader of the blocks of a series' segments, which checks each block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "../Disk/Disk.h"
#include "SeriesFormat.h"

namespace todana {

// The open segments of one series. Each task of a series owns one. One thread at a time, under the locks of its
// SeriesDirectory.
class SegmentReader {
 public:
  explicit SegmentReader(Disk &disk) : disk_(disk) {}

  // Tests whether the block lies within the current size of its segment.
  bool has(uint32_t segment, uint32_t block);

  // Reads a group's table. Returns false if the segment is missing or too short, if the block does not match the
  // entry's checksum, or if the table is invalid. The content of `table` is then undefined. Throws Failure for a device
  // error.
  bool readTable(const BlockEntry &entry, size_t pieceCount, GroupTable &table);

  // Reads the first pieces of a group to `content`, which has room for `kGroupSize` bytes. Sets `isSound` to true for
  // each intact piece. Throws Failure for a device error.
  void readPieces(const GroupTable &table, size_t pieceCount, char *content, bool *isSound);

 private:
  struct Segment {
    std::unique_ptr<DiskFile> file;  // null if there is none
    int64_t byteCount = 0;
  };
  Segment &segment(uint32_t number);

  Disk &disk_;
  std::unordered_map<uint32_t, Segment> segments_;
};

}  // namespace todana
