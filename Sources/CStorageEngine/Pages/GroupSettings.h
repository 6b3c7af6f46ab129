// Settings of a file group; sizes are in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace todana {

// Session makes them from the caller's options; they do not change while the group is open. Any thread.
struct GroupSettings {
  int64_t logLimit = 64 << 20;         // a checkpoint begins when the log is longer
  int64_t privateLimit = 128 << 20;    // or when memory has so much that the main files do not have
  int64_t commitLimit = 1 << 30;       // of stored pages that one commit changes
  int64_t directThreshold = 1 << 20;   // commits with so much new content write it to the main files at once
  int64_t sectorSize = 512;
  bool strict = false;        // a sector that is being written when the power fails may hold garbage afterwards
  bool readOnly = false;
  bool limitsMemory = false;  // limits the memory that mapped files take
  bool repairsBits = false;     // repairs pages with one wrong bit
  bool isVolatile = false;    // memory only: no log, no checkpoint
  // Names of data files that only commits create, the first one among them. Their checksums exist from the first
  // checkpoint on, which tells a store that has lost its list of commits from a new one.
  std::vector<std::string> firstFiles;
};

}  // namespace todana
