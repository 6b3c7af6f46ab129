// The settings of a file group; sizes are in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace todana {

// The settings, which Session makes from the caller's options. They do not change while the group is open. Any thread.
struct GroupSettings {
  uint64_t leastCommit = 0;            // the number of a commit that the files are known to have
  int64_t logLimit = 64 << 20;         // length of the log at which a checkpoint begins
  int64_t privateLimit = 128 << 20;    // size of memory-only pages at which a checkpoint begins
  int64_t commitLimit = 1 << 30;       // size of the stored pages that one commit may change
  int64_t directThreshold = 1 << 20;   // size of new content from which a commit writes it directly to main files
  int64_t sectorSize = 512;
  bool strict = false;        // a power failure may leave garbage in a sector that was being written
  bool readOnly = false;
  bool limitsMemory = false;  // limits the memory that mapped files take
  bool repairsBits = false;     // repairs pages with one wrong bit
  bool isVolatile = false;    // memory only: no log, no checkpoint
  // The names of data files that only commits create, starting with the first one. Their checksums exist from the first
  // checkpoint on. They distinguish a store that has lost its list of commits from a new one.
  std::vector<std::string> firstFiles;
};

}  // namespace todana
