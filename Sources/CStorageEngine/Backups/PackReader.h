// Reads the blocks of a series' packs, and checks them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "../Disk/Disk.h"
#include "SeriesFormat.h"

namespace todana {

class PackReader {
 public:
  explicit PackReader(Disk &disk) : disk_(disk) {}

  // Whether the block lies within its pack as the pack is now.
  bool has(uint32_t pack, uint32_t block);

  // Reads a group's table. False where the pack is missing or too short, where the block is another, or where what it
  // says cannot be: then it is not to be used. Throws Failure for a device error.
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
