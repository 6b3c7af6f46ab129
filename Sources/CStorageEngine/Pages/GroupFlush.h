// The flush of the log, which is shared by all commits that were appended before it began.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"
#include "Poison.h"

namespace todana {

// The message of a failure if the log was removed, usually with the whole directory.
inline constexpr const char *kDeletedFiles = "the files of the store were deleted while it was open";

// The flushes of a group, one at a time. A failed flush poisons the group.
//
// GroupState owns it; FileGroup and Checkpointer call it. Any thread: its mutex guards its fields, and is released
// while the system flushes. `setFile` and `noteAppended` are called under the commit mutex.
class GroupFlush {
 public:
  explicit GroupFlush(Poison &poison) : poison_(poison) {}

  // Starts with a group whose newest commit is durable.
  void begin(uint64_t newestCommit);
  // Sets the file to which the next commits are appended. All earlier commits have been flushed.
  void setFile(std::shared_ptr<DiskFile> file);
  void noteAppended(uint64_t commitNumber);

  // Returns when the commit is durable. Throws Failure(TDN_MUST_REOPEN) if the flush fails.
  void flushTo(uint64_t commitNumber);
  // Flushes all appended commits.
  void flush();
  // Returns the number of the newest durable commit.
  uint64_t flushed() const { return flushed_; }
  uint64_t flushCount() const { return flushCount_; }
  // Wakes threads that wait for a flush, after the group was poisoned.
  void wakeAll() { done_.notifyAll(); }

 private:
  void gather() TDN_REQUIRES(mutex_);
  // Flushes the appended commits. Unlocks the mutex while the system flushes.
  void flushAppended() TDN_REQUIRES(mutex_);

  Poison &poison_;
  Mutex mutex_;
  Condition done_, gathered_;
  std::shared_ptr<DiskFile> file_ TDN_GUARDED_BY(mutex_);
  uint64_t appended_ TDN_GUARDED_BY(mutex_) = 0;
  bool isFlushing_ TDN_GUARDED_BY(mutex_) = false;
  int waiting_ TDN_GUARDED_BY(mutex_) = 0;   // threads waiting for the flush of another thread
  int expected_ TDN_GUARDED_BY(mutex_) = 1;  // their number at the end of the last flush, plus the flushing one
  std::chrono::nanoseconds duration_ TDN_GUARDED_BY(mutex_){0};  // of the last flush
  std::atomic<uint64_t> flushed_{0}, flushCount_{0};
};

}  // namespace todana
