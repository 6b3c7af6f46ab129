// What stock trees have for locks in this target: nothing. They are used by one thread at a time, and stock code that an
// exception passes through (of memory that ends) would leave its locks locked, so that letting the tree go never ended.
#pragma once

namespace kyotocabinet {

class NoRWLock {
 public:
  void lock_writer() {}
  bool lock_writer_try() { return true; }
  void lock_reader() {}
  bool lock_reader_try() { return true; }
  void unlock() {}
};

class NoScopedRWLock {
 public:
  NoScopedRWLock(NoRWLock *, bool) {}
};

class NoMutex {
 public:
  void lock() {}
  bool lock_try() { return true; }
  void unlock() {}
};

class NoScopedMutex {
 public:
  explicit NoScopedMutex(NoMutex *) {}
};

}  // namespace kyotocabinet
