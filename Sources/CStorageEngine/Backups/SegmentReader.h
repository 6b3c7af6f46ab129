// The reader of the blocks of a series' packs, which it checks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "../Disk/Disk.h"
#include "SeriesFormat.h"

namespace todana {

// The open packs of one series. Each task of a series owns one. One thread at a time, under the locks of its
// SeriesDirectory.
class PackReader {
 public:
  explicit PackReader(Disk &disk) : disk_(disk) {}

  // Tests whether the block lies within its pack as the pack is now.
  bool has(uint32_t pack, uint32_t block);

  // Reads a group's table. Returns false, and the table must not be used, if the pack is missing or too short, the
  // block is another one, or the table is invalid. Throws Failure for a device error.
  bool readTable(const BlockEntry &entry, size_t pieceCount, GroupTable &table);

  // Reads the first pieces of a group to `content`, which has room for `kGroupSize` bytes. True for each in `isSound`
  // that is what was written. Throws Failure for a device error.
  void readPieces(const GroupTable &table, size_t pieceCount, char *content, bool *isSound);

 private:
  struct Pack {
    std::unique_ptr<DiskFile> file;  // null: there is none
    int64_t byteCount = 0;
  };
  Pack &pack(uint32_t number);

  Disk &disk_;
  std::unordered_map<uint32_t, Pack> packs_;
};

}  // namespace todana
