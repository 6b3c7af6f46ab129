// The recognition of child processes. A child has copies of the objects of its parent, which must not change the
// parent's files.
#pragma once

#include <cstdint>

#include "CThreads.h"

namespace todana {

// The process that made an object. Disks, their files, locks and DirectoryLock each have one. Any thread.
class ForkGuard {
 public:
  bool isInChild() const { return tdt_fork_count() != forkCount_; }
  // Throws Failure(TDN_USED_AFTER_FORK) in a child of the process that made the object.
  void requireOwnProcess() const {
    if (isInChild()) throwUsedAfterFork();
  }
  [[noreturn]] static void throwUsedAfterFork();

 private:
  const uint64_t forkCount_ = tdt_fork_count();
};

}  // namespace todana
