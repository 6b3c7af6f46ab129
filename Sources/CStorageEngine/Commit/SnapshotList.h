// The open snapshots of a cabinet.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "../Disk/Mutex.h"
#include "../Pages/FileGroup.h"
#include "../Snapshots/Snapshot.h"

namespace todana {

// The list of all open snapshots: a new snapshot is in it before the next commit can begin. Users that open a snapshot
// of the same commit share one, so that a commit keeps its old values once for all of them. Session owns the list,
// opens snapshots, and interrupts all of them when it ends. The users of snapshots close them. Commit reads the list.
//
// Any thread: its mutex guards the list, and is taken after the state lock.
class SnapshotList {
 public:
  // `memoryLimit`: the bytes of old values that all snapshots together keep in memory before they use files.
  explicit SnapshotList(int64_t memoryLimit) : budget_(std::make_shared<MemoryBudget>(memoryLimit)) {}

  // Opens a snapshot of the newest commit, under a ReadLock. Calls `atOnce` before the next commit can begin.
  std::shared_ptr<Snapshot> open(FileGroup &group, bool isEncrypted, const std::function<void()> &atOnce = {}) {
    // Under a read lock the files have one commit's state, and no commit misses the snapshot.
    FileGroup::ReadLock readLock(group);
    MutexLock lock(mutex_);
    // Snapshots are in the order of their commits.
    if (snapshots_.empty() || snapshots_.back().snapshot->commitNumber() != group.commitNumber() ||
        snapshots_.back().snapshot->hasFailed()) {
      snapshots_.push_back({std::make_shared<Snapshot>(group.commitNumber(), budget_, isEncrypted)});
    }
    snapshots_.back().userCount++;
    if (atOnce) atOnce();
    return snapshots_.back().snapshot;
  }

  // Ends one use of a snapshot.
  void close(const std::shared_ptr<Snapshot> &snapshot) {
    MutexLock lock(mutex_);
    const auto found = std::find_if(snapshots_.begin(), snapshots_.end(), [&](const Entry &entry) {
      return entry.snapshot == snapshot;
    });
    if (found != snapshots_.end() && --found->userCount == 0) snapshots_.erase(found);
  }

  // Returns all open snapshots, which the copy keeps alive.
  std::vector<std::shared_ptr<Snapshot>> all() {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<Snapshot>> snapshots;
    snapshots.reserve(snapshots_.size());
    for (const Entry &entry : snapshots_) snapshots.push_back(entry.snapshot);
    return snapshots;
  }

  void interruptAll() {
    for (const std::shared_ptr<Snapshot> &snapshot : all()) snapshot->interrupt();
    MutexLock lock(mutex_);
    snapshots_.clear();
  }

 private:
  struct Entry {
    std::shared_ptr<Snapshot> snapshot;
    int64_t userCount = 0;
  };

  const std::shared_ptr<MemoryBudget> budget_;
  Mutex mutex_;
  std::vector<Entry> snapshots_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
