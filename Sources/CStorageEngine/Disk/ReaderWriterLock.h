// Many readers or one writer; a waiting writer goes before new readers, so that steady reading cannot starve it.
#pragma once

#include <pthread.h>

namespace todana {

class ReaderWriterLock {
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

  class Shared {
   public:
    explicit Shared(ReaderWriterLock &lock) : lock_(lock) { pthread_rwlock_rdlock(&lock_.lock_); }
    ~Shared() { pthread_rwlock_unlock(&lock_.lock_); }
    Shared(const Shared &) = delete;
    Shared &operator=(const Shared &) = delete;

   private:
    ReaderWriterLock &lock_;
  };

  class Exclusive {
   public:
    explicit Exclusive(ReaderWriterLock &lock) : lock_(lock) { pthread_rwlock_wrlock(&lock_.lock_); }
    ~Exclusive() { pthread_rwlock_unlock(&lock_.lock_); }
    Exclusive(const Exclusive &) = delete;
    Exclusive &operator=(const Exclusive &) = delete;

   private:
    ReaderWriterLock &lock_;
  };

 private:
  pthread_rwlock_t lock_;
};

}  // namespace todana
