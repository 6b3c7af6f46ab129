// A lock for many readers or one writer. A waiting writer precedes new readers, so that continuous reading cannot
// starve it. A thread must not take it twice.
#pragma once

#include <pthread.h>

#include "Mutex.h"

namespace todana {

// A reader-writer lock, used as GroupState::stateLock, as Cabinet's session lock, and in PageRepairs. Any thread.
class TDN_CAPABILITY("lock") ReaderWriterLock {
 public:
  ReaderWriterLock() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifdef __GLIBC__
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~ReaderWriterLock() { pthread_rwlock_destroy(&lock_); }
  ReaderWriterLock(const ReaderWriterLock &) = delete;
  ReaderWriterLock &operator=(const ReaderWriterLock &) = delete;

  void lockShared() TDN_ACQUIRE_SHARED() {
    if (guard_.isInChild()) return lockInChild([&] { return pthread_rwlock_tryrdlock(&lock_) == 0; });
    pthread_rwlock_rdlock(&lock_);
  }
  void lockExclusive() TDN_ACQUIRE() {
    if (guard_.isInChild()) return lockInChild([&] { return pthread_rwlock_trywrlock(&lock_) == 0; });
    pthread_rwlock_wrlock(&lock_);
  }
  void unlock() TDN_RELEASE_GENERIC() { pthread_rwlock_unlock(&lock_); }

  class TDN_SCOPED_CAPABILITY Shared {
   public:
    explicit Shared(ReaderWriterLock &lock) TDN_ACQUIRE_SHARED(lock) : lock_(lock) { lock.lockShared(); }
    ~Shared() TDN_RELEASE_GENERIC() { lock_.unlock(); }
    Shared(const Shared &) = delete;
    Shared &operator=(const Shared &) = delete;

   private:
    ReaderWriterLock &lock_;
  };

  class TDN_SCOPED_CAPABILITY Exclusive {
   public:
    explicit Exclusive(ReaderWriterLock &lock) TDN_ACQUIRE(lock) : lock_(lock) { lock.lockExclusive(); }
    ~Exclusive() TDN_RELEASE() { lock_.unlock(); }
    Exclusive(const Exclusive &) = delete;
    Exclusive &operator=(const Exclusive &) = delete;

   private:
    ReaderWriterLock &lock_;
  };

 private:
  pthread_rwlock_t lock_;
  const ForkGuard guard_;
};

}  // namespace todana
