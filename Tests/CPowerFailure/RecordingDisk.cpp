#include "RecordingDisk.h"

#include <thread>

namespace todana::simulation {

class RecordingFile final : public DiskFile {
 public:
  RecordingFile(RecordingDisk &disk, std::unique_ptr<DiskFile> file, int inode, std::string name)
      : disk_(disk), file_(std::move(file)), inode_(inode), name_(std::move(name)) {}

  int descriptor() const override { return file_->descriptor(); }
  int64_t size() override { return file_->size(); }
  size_t read(int64_t offset, void *buffer, size_t count) override { return file_->read(offset, buffer, count); }

  // Copies are written in both ways, through mappings and by calls.
  bool isCopying() override { return inode_ % 2 == 0; }

  void write(int64_t offset, const void *bytes, size_t count) override {
    Operation operation{Operation::Kind::write, inode_, offset, {}, {}, {}};
    operation.bytes.assign(static_cast<const char *>(bytes), count);
    disk_.add(std::move(operation));
    file_->write(offset, bytes, count);
  }

  void resize(int64_t size) override {
    recordMapped();
    disk_.add({Operation::Kind::resize, inode_, size, {}, {}, {}});
    file_->resize(size);
    // The resize cuts off the reserved space, so nothing is written through the mapping until space is reserved again.
    std::lock_guard<std::mutex> lock(disk_.mutex_);
    disk_.isMapped_[inode_] = false;
  }

  void allocate(int64_t size) override {
    disk_.add({Operation::Kind::resize, inode_, size, {}, {}, {}});
    file_->allocate(size);
    std::lock_guard<std::mutex> lock(disk_.mutex_);
    disk_.isMapped_[inode_] = true;
  }

  bool giveBack(int64_t offset, int64_t byteCount) override {
    write(offset, std::string(static_cast<size_t>(byteCount), '\0').data(), static_cast<size_t>(byteCount));
    return true;
  }

  void flush() override {
    recordMapped();
    const bool isLog = name_.rfind("log-", 0) == 0;
    const bool isLeftOut = (isLog && disk_.sabotage_ == RecordingDisk::Sabotage::logFlush) ||
                           (!isLog && disk_.sabotage_ == RecordingDisk::Sabotage::mainFlush);
    disk_.addFlush(Operation::Kind::flush, inode_, isLeftOut);
  }

 private:
  // Records the entire content of a mapped file. Stores into a shared mapping are not seen one by one, so they are
  // recorded before the next flush or resize.
  void recordMapped() {
    {
      std::lock_guard<std::mutex> lock(disk_.mutex_);
      if (!disk_.isMapped_[inode_]) return;
    }
    Operation operation{Operation::Kind::write, inode_, 0, {}, {}, {}};
    operation.bytes.resize(file_->size());
    file_->read(0, operation.bytes.data(), operation.bytes.size());
    disk_.add(std::move(operation));
  }

  RecordingDisk &disk_;
  std::unique_ptr<DiskFile> file_;
  const int inode_;
  const std::string name_;
};

RecordingDisk::RecordingDisk(
  const std::string &path, const FileSystem &initial, Sabotage sabotage, std::chrono::microseconds longestFlush)
    : disk_(path), sabotage_(sabotage), longestFlush_(longestFlush) {
  for (const auto &[name, content] : initial) {
    initialInodes_[nextInode_] = content;
    initialNames_[name] = nextInode_;
    inodes_[name] = nextInode_++;
  }
}

RecordingDisk::RecordingDisk(const std::string &path, const std::map<std::string, int> &inodes, int nextInode)
    : disk_(path), sabotage_(Sabotage::none), longestFlush_(0), inodes_(inodes), nextInode_(nextInode) {}

void RecordingDisk::add(Operation operation) {
  std::lock_guard<std::mutex> lock(mutex_);
  operations_.push_back(std::move(operation));
}

void RecordingDisk::addFlush(Operation::Kind kind, int inode, bool isLeftOut) {
  std::unique_lock<std::mutex> lock(mutex_);
  const size_t begun = operations_.size();
  if (longestFlush_.count() > 0) {
    const std::chrono::microseconds duration(random_() % longestFlush_.count());
    lock.unlock();
    std::this_thread::sleep_for(duration);
    lock.lock();
  }
  const auto since = static_cast<int64_t>(operations_.size() - begun);
  if (!isLeftOut) operations_.push_back({kind, inode, since, {}, {}, {}});
}

std::unique_ptr<DiskFile> RecordingDisk::open(const std::string &name, Mode mode) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::unique_ptr<DiskFile> file = disk_.open(name, mode);
  if (!file) return nullptr;
  auto found = inodes_.find(name);
  if (found == inodes_.end()) {
    found = inodes_.emplace(name, nextInode_++).first;
    operations_.push_back({Operation::Kind::create, found->second, 0, {}, name, {}});
  }
  const int inode = found->second;
  lock.unlock();
  // Pause, so that other threads sometimes remove the file after it was opened.
  if (longestFlush_.count() > 0 && mode == Mode::read) std::this_thread::sleep_for(longestFlush_ / 4);
  return std::make_unique<RecordingFile>(*this, std::move(file), inode, name);
}

void RecordingDisk::rename(const std::string &from, const std::string &to) {
  std::lock_guard<std::mutex> lock(mutex_);
  operations_.push_back({Operation::Kind::rename, 0, 0, {}, from, to});
  disk_.rename(from, to);
  inodes_[to] = inodes_[from];
  inodes_.erase(from);
}

void RecordingDisk::remove(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex_);
  disk_.remove(name);
  if (inodes_.erase(name) == 0) return;
  operations_.push_back({Operation::Kind::remove, 0, 0, {}, name, {}});
}

void RecordingDisk::flushDirectory() {
  addFlush(Operation::Kind::flushDirectory, 0, sabotage_ == Sabotage::directoryFlush);
}

void RecordingDisk::flushAll() {
  addFlush(Operation::Kind::flushAll, 0, sabotage_ == Sabotage::mainFlush);
}

size_t RecordingDisk::operationCount() {
  std::lock_guard<std::mutex> lock(mutex_);
  return operations_.size();
}

std::vector<Operation> RecordingDisk::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::move(operations_);
}

}  // namespace todana::simulation
