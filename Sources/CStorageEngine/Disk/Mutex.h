// Locks whose use clang checks (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html). Fields name the lock that
// guards them, and functions the locks that their callers hold. A violation is an error when the engine is compiled.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ForkGuard.h"

#if defined(__clang__)
#define TDN_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define TDN_ATTRIBUTE(...)
#endif

// Classes
#define TDN_CAPABILITY(name) TDN_ATTRIBUTE(capability(name))
#define TDN_SCOPED_CAPABILITY TDN_ATTRIBUTE(scoped_lockable)
// Fields
#define TDN_GUARDED_BY(lock) TDN_ATTRIBUTE(guarded_by(lock))
// Functions: the caller must hold, or must not hold, the locks
#define TDN_REQUIRES(...) TDN_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TDN_REQUIRES_SHARED(...) TDN_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define TDN_RETURNS(lock) TDN_ATTRIBUTE(lock_returned(lock))
#define TDN_EXCLUDES(...) TDN_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Functions that take and release a lock
#define TDN_ACQUIRE(...) TDN_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TDN_ACQUIRE_SHARED(...) TDN_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define TDN_RELEASE(...) TDN_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TDN_RELEASE_GENERIC(...) TDN_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define TDN_TRY_ACQUIRE(...) TDN_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// Functions that are not checked: docs/architecture/concurrency.md lists the reason for each
#define TDN_UNCHECKED_LOCKS TDN_ATTRIBUTE(no_thread_safety_analysis)

namespace todana {

// Takes a lock in a child of the process that made it. If another thread held it during the fork, no thread of the child
// will release it. Throws Failure(TDN_USED_AFTER_FORK) after a second of attempts.
template <class TryLock>
void lockInChild(TryLock tryLock) {
  for (int attempt = 0; !tryLock(); attempt++) {
    if (attempt == 1000) ForkGuard::throwUsedAfterFork();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// A mutex whose use clang's thread-safety analysis checks. All mutexes of the engine are of this class. Any thread;
// docs/architecture/concurrency.md defines the order in which they are taken.
class TDN_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() TDN_ACQUIRE() {
    if (guard_.isInChild()) return lockInChild([&] { return mutex_.try_lock(); });
    mutex_.lock();
  }
  void unlock() TDN_RELEASE() { mutex_.unlock(); }
  bool tryLock() TDN_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
  const ForkGuard guard_;
};

// A mutex held until the end of the scope, or until `unlock`. Used by the thread that made it.
class TDN_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex &mutex) TDN_ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
  // Takes over a mutex that the caller has locked.
  MutexLock(Mutex &mutex, std::adopt_lock_t) TDN_REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexLock() TDN_RELEASE() {
    if (isLocked_) mutex_.unlock();
  }
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void unlock() TDN_RELEASE() {
    mutex_.unlock();
    isLocked_ = false;
  }
  void lock() TDN_ACQUIRE() {
    mutex_.lock();
    isLocked_ = true;
  }

 private:
  Mutex &mutex_;
  bool isLocked_ = true;
};

// A condition variable for a Mutex. Checkpointer, GroupFlush, FileGroup and Maintenance wait with one.
//
// `wait` and `waitUntil` require the mutex, and may return spuriously: callers check again. Any thread notifies, with
// or without the mutex.
class Condition {
 public:
  void wait(Mutex &mutex) TDN_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  using Time = std::chrono::steady_clock::time_point;
  // Waits until a notification. Returns false if the time was reached.
  bool waitUntil(Mutex &mutex, Time end) TDN_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool isInTime = condition_.wait_until(lock, end) == std::cv_status::no_timeout;
    lock.release();
    return isInTime;
  }

  void notifyOne() { condition_.notify_one(); }
  void notifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace todana
