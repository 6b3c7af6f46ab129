// A disk that passes every operation to a directory and records it, in order.
//
// A flush makes only those writes durable that were complete when it began. If flushes take time, other threads write
// during them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "../../Sources/CStorageEngine/Disk/Disk.h"

namespace todana::simulation {

struct Operation {
  enum class Kind { create, write, resize, flush, rename, remove, flushDirectory, flushAll };
  Kind kind;
  int inode = 0;
  int64_t offset = 0;      // or the new size, or the number of operations recorded since a flush began
  std::string bytes;
  std::string name, newName;
};

using FileSystem = std::map<std::string, std::string>;

class RecordingDisk final : public Disk {
 public:
  enum class Sabotage { none, logFlush, mainFlush, directoryFlush };

  // Starts with the files of the directory, which are durable already. Flushes take up to `longestFlush`.
  RecordingDisk(
    const std::string &path, const FileSystem &initial, Sabotage sabotage,
    std::chrono::microseconds longestFlush = std::chrono::microseconds(0));
  // Continues with the files of a disk whose process was killed.
  RecordingDisk(const std::string &path, const std::map<std::string, int> &inodes, int nextInode);

  std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) override;
  void rename(const std::string &from, const std::string &to) override;
  void remove(const std::string &name) override;
  std::vector<std::string> list() override { return disk_.list(); }
  void flushDirectory() override;
  void flushAll() override;
  int64_t sectorSize() override { return 512; }
  int64_t room() override { return disk_.room(); }

  size_t operationCount();
  std::vector<Operation> take();
  const std::map<int, std::string> &initialInodes() const { return initialInodes_; }
  const std::map<std::string, int> &initialNames() const { return initialNames_; }

 private:
  friend class RecordingFile;
  void add(Operation operation);
  void addFlush(Operation::Kind kind, int inode, bool isLeftOut);

  DirectoryDisk disk_;
  const Sabotage sabotage_;
  const std::chrono::microseconds longestFlush_;
  std::mt19937_64 random_;
  std::mutex mutex_;
  std::map<std::string, int> inodes_;
  std::map<int, bool> isMapped_;
  int nextInode_ = 1;
  std::map<int, std::string> initialInodes_;
  std::map<std::string, int> initialNames_;
  std::vector<Operation> operations_;
};

}  // namespace todana::simulation
