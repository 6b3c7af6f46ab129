#include "GroupFlush.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "../Disk/Failure.h"

namespace todana {

void GroupFlush::begin(uint64_t newestCommit) {
  MutexLock lock(mutex_);
  appended_ = newestCommit;
  flushed_ = newestCommit;
}

void GroupFlush::setFile(std::shared_ptr<DiskFile> file) {
  MutexLock lock(mutex_);
  file_ = std::move(file);
}

void GroupFlush::noteAppended(uint64_t commitNumber) {
  MutexLock lock(mutex_);
  appended_ = commitNumber;
}

void GroupFlush::flush() {
  uint64_t target;
  {
    MutexLock lock(mutex_);
    target = appended_;
  }
  flushTo(target);
}

void GroupFlush::flushTo(uint64_t commitNumber) {
  MutexLock lock(mutex_);
  while (flushed_ < commitNumber) {
    poison_.throwIfSet();
    if (!isFlushing_) {
      flushAppended();
      continue;
    }
    if (++waiting_ + 1 >= expected_) gathered_.notifyOne();
    done_.wait(mutex_);
    waiting_--;
  }
}

// Waits briefly for the threads that waited for the last flush. All of them were woken together. If the first one
// flushed immediately, the others would append and need another flush. A single thread does not wait.
void GroupFlush::gather() {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::microseconds(500);
  const Condition::Time end = std::chrono::steady_clock::now() + std::min(duration_, kLongest);
  while (waiting_ + 1 < expected_ && gathered_.waitUntil(mutex_, end)) {
  }
}

// Flushes all appended commits. Commits that are appended during the flush wait for the next one.
void GroupFlush::flushAppended() {
  isFlushing_ = true;
  gather();
  const uint64_t target = appended_;
  const std::shared_ptr<DiskFile> file = file_;
  mutex_.unlock();
  const auto start = std::chrono::steady_clock::now();
  bool isFlushed = false;
  try {
    file->flush();
    if (file->isDeleted()) throw Failure(TDN_NOT_FOUND, kDeletedFiles);
    flushCount_++;
    isFlushed = true;
  } catch (const std::exception &failure) {
    poison_.set(failure.what());
  }
  mutex_.lock();
  duration_ = std::chrono::steady_clock::now() - start;
  expected_ = waiting_ + 1;
  isFlushing_ = false;
  if (isFlushed) flushed_ = std::max(flushed_.load(), target);
  done_.notifyAll();
}

}  // namespace todana
