// The manifest of one backup of a series: which files the store had, and where their pieces stand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "SeriesFormat.h"

namespace todana {

struct Manifest {
  struct File {
    std::string name;
    int64_t byteCount;
    size_t firstGroup;  // in `groups`
  };

  ManifestHeader header{};
  std::vector<File> files;
  std::vector<BlockEntry> groups;  // the tables of all files' groups

  // Reads the header alone. Throws Failure(TDN_DAMAGED or TDN_NEWER_FORMAT).
  static ManifestHeader readHeader(Disk &disk, uint32_t number);
  // Takes memory in proportion to the file that is there, whatever it says. Throws Failure as before.
  static Manifest read(Disk &disk, uint32_t number);
  // Fills in what the header has to say of the content, and writes it, durable when this returns: from the renaming on
  // the backup is there. `isThere` tells where this throws after that.
  void write(Disk &disk, uint32_t number, bool &isThere);

  uint32_t number() const { return static_cast<uint32_t>(header.number); }

 private:
  void parse(const std::vector<char> &content, const std::string &name);
};

}  // namespace todana
