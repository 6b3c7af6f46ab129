// The manifest of one backup of a series: the store's files, and the places of their pieces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "SeriesFormat.h"

namespace todana {

// A manifest in memory. The tasks of the series read it, SeriesBackup writes one, and StorageEngineSeries reads
// headers. One thread at a time, under the locks of its SeriesDirectory.
struct Manifest {
  struct File {
    std::string name;
    int64_t byteCount;
    size_t firstGroup;  // in `groups`
  };

  ManifestHeader header{};
  std::vector<File> files;
  std::vector<BlockEntry> groups;  // the places of the tables of all groups, file by file

  // Reads the header only. Throws Failure(TDN_DAMAGED or TDN_NEWER_FORMAT).
  static ManifestHeader readHeader(Disk &disk, uint32_t number);
  // Reads a manifest. The memory that it takes is limited by the file's size, even if the header is damaged. Throws
  // Failure as `readHeader` does.
  static Manifest read(Disk &disk, uint32_t number);
  // Completes the header, and writes the manifest durably. Sets `isThere` once the manifest has its final name: from
  // then on the backup exists, even if a later step throws.
  void write(Disk &disk, uint32_t number, bool &isThere);

  uint32_t number() const { return static_cast<uint32_t>(header.number); }

 private:
  void parse(const std::vector<char> &content, const std::string &name);
};

}  // namespace todana
