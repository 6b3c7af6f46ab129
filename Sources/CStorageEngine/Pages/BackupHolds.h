// The running backups, which keep checkpoints from starting.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace todana {

// A running backup. While it exists, no checkpoint starts, except when the group is closed. Closing sets `hasEnded`
// first.
//
// A BackupPlan shares it, and any thread may release it.
struct BackupHold {
  explicit BackupHold(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) { ++*count_; }
  ~BackupHold() { --*count_; }
  BackupHold(const BackupHold &) = delete;
  BackupHold &operator=(const BackupHold &) = delete;

  std::atomic<bool> hasEnded{false};

 private:
  const std::shared_ptr<std::atomic<int>> count_;
};

// The list of holds. Checkpointer owns it; FileGroup adds holds (`planBackup`) and ends all of them (`endBackups`).
//
// One thread at a time, under the mutex of Checkpointer. The holds may outlive the list.
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
