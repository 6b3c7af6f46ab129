// A disk that passes everything on and writes down each operation in order.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../../Sources/CKyotoCabinet/Disk.h"

namespace todana::simulation {

struct Operation {
  enum class Kind { create, write, resize, flush, rename, remove, flushDirectory, flushAll };
  Kind kind;
  int inode = 0;
  int64_t offset = 0;      // or the new size
  std::string bytes;
  std::string name, newName;
};

using FileSystem = std::map<std::string, std::string>;

class RecordingDisk final : public Disk {
 public:
  enum class Sabotage { none, logFlush, mainFlush, directoryFlush };

  // `initial`: what the directory holds, already durable.
  RecordingDisk(const std::string &path, const FileSystem &initial, Sabotage sabotage);

  std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) override;
  void rename(const std::string &from, const std::string &to) override;
  void remove(const std::string &name) override;
  std::vector<std::string> list() override { return disk_.list(); }
  void flushDirectory() override;
  void flushAll() override;
  int64_t sectorSize() override { return 512; }

  size_t operationCount();
  std::vector<Operation> take();
  const std::map<int, std::string> &initialInodes() const { return initialInodes_; }
  const std::map<std::string, int> &initialNames() const { return initialNames_; }

 private:
  friend class RecordingFile;
  void add(Operation operation);

  DirectoryDisk disk_;
  const Sabotage sabotage_;
  std::mutex mutex_;
  std::map<std::string, int> inodes_;
  std::map<int, bool> isMapped_;
  int nextInode_ = 1;
  std::map<int, std::string> initialInodes_;
  std::map<std::string, int> initialNames_;
  std::vector<Operation> operations_;
};

}  // namespace todana::simulation
