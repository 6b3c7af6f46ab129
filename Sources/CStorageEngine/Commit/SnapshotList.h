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

// The list of all open snapshots: a new snapshot is in it before the next commit can begin. Session owns the list,
// opens snapshots, and interrupts all of them when it ends. The users of snapshots close them. Commit reads the list.
//
// Any thread: its mutex guards the list, and is taken after the state lock.
class SnapshotList {
 public:
  // Opens a snapshot of the newest commit, under a ReadLock. Calls `atOnce` before the next commit can begin.
  std::shared_ptr<Snapshot> open(
    FileGroup &group, int64_t memoryLimit, bool isEncrypted, const std::function<void()> &atOnce = {}) {
    // Under a read lock the files have one commit's state, and no commit misses the snapshot.
    FileGroup::ReadLock readLock(group);
    MutexLock lock(mutex_);
    snapshots_.push_back(std::make_shared<Snapshot>(group.commitNumber(), memoryLimit, isEncrypted));
    if (atOnce) atOnce();
    return snapshots_.back();
  }

  void close(const std::shared_ptr<Snapshot> &snapshot) {
    MutexLock lock(mutex_);
    snapshots_.erase(std::remove(snapshots_.begin(), snapshots_.end(), snapshot), snapshots_.end());
  }

  // Returns all open snapshots, which the copy keeps alive.
  std::vector<std::shared_ptr<Snapshot>> all() {
    MutexLock lock(mutex_);
    return snapshots_;
  }

  void interruptAll() {
    for (const std::shared_ptr<Snapshot> &snapshot : all()) snapshot->interrupt();
    MutexLock lock(mutex_);
    snapshots_.clear();
  }

 private:
  Mutex mutex_;
  std::vector<std::shared_ptr<Snapshot>> snapshots_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
