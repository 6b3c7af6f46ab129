// Replays recorded operations and makes the states that cutting the power could leave.
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
  // Files that are durable, numbered from 1 by their names.
  PowerCut(const FileSystem &initial, int sectorSize, bool makesGarbage);

  void apply(const Operation &operation);

  // One state: any subset of unflushed sectors (old or new, in any of their versions), of size changes and of
  // directory changes in order. `last`: the operation in flight, which may have been torn.
  FileSystem state(std::mt19937_64 &random, const Operation *last) const;

  // What a kill of the process leaves: everything, though not all of it is durable.
  FileSystem killed() const;
  std::map<std::string, int> names() const;
  int nextInode() const;

 private:
  // `position`: of the operation that wrote it.
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
  // Makes durable what was written before position `end`.
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
