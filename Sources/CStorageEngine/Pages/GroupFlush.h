// The flush of the log: one flush serves all commits that were appended before it began.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"
#include "Poison.h"

namespace todana {

// One flush at a time. A flush that fails poisons the group.
//
// GroupState owns it; FileGroup and Checkpointer call it. Any thread: its mutex guards its fields, and is not held
// while the system flushes. `setFile` and `noteAppended` are called under the commit mutex.
class GroupFlush {
 public:
  explicit GroupFlush(Poison &poison) : poison_(poison) {}

  // Begins with a group whose newest commit is durable.
  void begin(uint64_t newestCommit);
  // Takes the file that the next commits are appended to. All earlier commits have been flushed.
  void setFile(std::shared_ptr<DiskFile> file);
  void noteAppended(uint64_t commitNumber);

  // Returns when the commit is durable. Throws Failure(TDN_MUST_REOPEN) if the flush fails.
  void flushTo(uint64_t commitNumber);
  // Flushes all commits that have been appended.
  void flush();
  // Returns the newest durable commit.
  uint64_t flushed() const { return flushed_; }
  uint64_t flushCount() const { return flushCount_; }
  // Wakes threads that wait for a flush, after the group was poisoned.
  void wakeAll() { done_.notifyAll(); }

 private:
  void gather() TDN_REQUIRES(mutex_);
  // Unlocks the mutex while the system flushes.
  void flushAppended() TDN_REQUIRES(mutex_);

  Poison &poison_;
  Mutex mutex_;
  Condition done_, gathered_;
  std::shared_ptr<DiskFile> file_ TDN_GUARDED_BY(mutex_);
  uint64_t appended_ TDN_GUARDED_BY(mutex_) = 0;
  bool isFlushing_ TDN_GUARDED_BY(mutex_) = false;
  int waiting_ TDN_GUARDED_BY(mutex_) = 0;   // threads that wait for the flush of another thread
  int expected_ TDN_GUARDED_BY(mutex_) = 1;  // how many there were at the end of the last flush, and the flushing one
  std::chrono::nanoseconds duration_ TDN_GUARDED_BY(mutex_){0};  // of the last flush
  std::atomic<uint64_t> flushed_{0}, flushCount_{0};
};

}  // namespace todana
