// A replay of recorded operations that makes the states which a power cut could leave.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "RecordingDisk.h"

namespace todana::simulation {

class PowerCut {
 public:
  PowerCut(const RecordingDisk &disk, int sectorSize, bool makesGarbage);
  // Starts with durable files, numbered from 1 in the order of their names.
  PowerCut(const FileSystem &initial, int sectorSize, bool makesGarbage);

  void apply(const Operation &operation);

  // Returns one possible state. It has a random subset of the unflushed sectors, each in one of its versions. Each file
  // has its durable size, or one of its unflushed sizes. The directory has a prefix of its unflushed changes. `last`:
  // the operation in flight, which may be torn.
  FileSystem state(std::mt19937_64 &random, const Operation *last) const;

  // Returns the files after a kill of the process. They have all writes, including those that are not durable yet.
  FileSystem killed() const;
  std::map<std::string, int> names() const;
  int nextInode() const;

 private:
  // One written version of a sector. `position`: the operation that wrote the version.
  struct Version {
    size_t position;
    std::string bytes;
  };
  struct Size {
    size_t position;
    int64_t byteCount;
  };
  struct Inode {
    std::string durable, cached;
    std::map<int64_t, std::vector<Version>> pending;  // versions of a sector that were not flushed
    std::vector<Size> sizes;                          // sizes that were not flushed
  };
  struct PendingName {
    size_t position;
    Operation operation;
  };

  void addVersion(Inode &inode, int64_t sector);
  // Makes all writes before position `end` durable.
  void flush(Inode &inode, size_t end);
  void flushNames(size_t end);
  static void applyName(std::map<std::string, int> &names, const Operation &operation);
  std::string contentOf(const Inode &inode, int mode, double keeps, std::mt19937_64 &random) const;

  const int sectorSize_;
  const bool makesGarbage_;
  std::map<int, Inode> inodes_;
  std::map<std::string, int> durableNames_;
  std::vector<PendingName> pendingNames_;
  size_t position_ = 0;  // operations applied
};

}  // namespace todana::simulation
