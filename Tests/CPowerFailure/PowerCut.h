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

  void apply(const Operation &operation);

  // One state: any subset of unflushed sectors (old or new, in any of their versions), of size changes and of
  // directory changes in order. `last`: the operation in flight, which may have been torn.
  FileSystem state(std::mt19937_64 &random, const Operation *last) const;

 private:
  struct Inode {
    std::string durable, cached;
    std::map<int64_t, std::vector<std::string>> pending;  // versions of a sector since the last flush
    std::vector<int64_t> sizes;                            // sizes since the last flush
  };

  void addVersion(Inode &inode, int64_t sector);
  void flush(Inode &inode);
  static void applyName(std::map<std::string, int> &names, const Operation &operation);
  std::string contentOf(const Inode &inode, int mode, double keeps, std::mt19937_64 &random) const;

  const int sectorSize_;
  const bool makesGarbage_;
  std::map<int, Inode> inodes_;
  std::map<std::string, int> durableNames_;
  std::vector<Operation> pendingNames_;
};

}  // namespace todana::simulation
