// Backups that are being made: they keep checkpoints from starting.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace todana {

// Keeps checkpoints from starting as long as it lives, except the one of closing, which ends it.
struct BackupHold {
  explicit BackupHold(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) { ++*count_; }
  ~BackupHold() { --*count_; }
  BackupHold(const BackupHold &) = delete;
  BackupHold &operator=(const BackupHold &) = delete;

  std::atomic<bool> hasEnded{false};

 private:
  const std::shared_ptr<std::atomic<int>> count_;
};

// One thread at a time; the holds themselves are let go by any thread, and may outlive this.
class BackupHolds {
 public:
  bool isEmpty() const { return *count_ == 0; }
  std::shared_ptr<BackupHold> add();
  void endAll();

 private:
  const std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
  std::vector<std::weak_ptr<BackupHold>> holds_;
};

}  // namespace todana
