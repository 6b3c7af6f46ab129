// FileGroup's flushes of the log: one thread flushes for all commits that were appended so far.
#include <algorithm>
#include <chrono>
#include <exception>

#include "FileGroup.h"

namespace todana {

void FileGroup::flush() {
  uint64_t target;
  {
    std::lock_guard<std::mutex> lock(flushMutex_);
    target = appended_;
  }
  flushTo(target);
}

// Waits briefly for the threads that waited for the last flush. They were woken all at once; if the first of them
// flushed at once, the others would append and then have to wait for another flush. A single thread does not wait.
void FileGroup::gather(std::unique_lock<std::mutex> &lock) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::microseconds(500);
  if (flushExpected_ <= 1) return;
  flushGathered_.wait_for(lock, std::min(flushTime_, kLongest), [this] { return flushWaiting_ + 1 >= flushExpected_; });
}

void FileGroup::flushTo(uint64_t number) {
  std::unique_lock<std::mutex> lock(flushMutex_);
  while (flushed_ < number) {
    throwIfPoisoned();
    if (flushing_) {
      if (++flushWaiting_ + 1 >= flushExpected_) flushGathered_.notify_one();
      flushDone_.wait(lock);
      flushWaiting_--;
      continue;
    }
    // This thread flushes all that has been appended so far; commits appended later wait for the next flush.
    flushing_ = true;
    gather(lock);
    const uint64_t target = appended_;
    std::shared_ptr<DiskFile> file = flushFile_;
    lock.unlock();
    std::exception_ptr failed;
    const auto start = std::chrono::steady_clock::now();
    try {
      file->flush();
      flushes_++;
    } catch (const std::exception &) {
      failed = std::current_exception();
    }
    lock.lock();
    flushTime_ = std::chrono::steady_clock::now() - start;
    flushExpected_ = flushWaiting_ + 1;
    flushing_ = false;
    if (failed) {
      lock.unlock();
      try {
        std::rethrow_exception(failed);
      } catch (const std::exception &failure) {
        poison(failure.what());
      }
    }
    if (flushed_ < target) flushed_ = target;
    flushDone_.notify_all();
  }
}

}  // namespace todana
