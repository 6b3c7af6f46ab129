// A mark that a file group is unusable, after a write whose outcome is unknown: recovery decides which commits count
// when the store is opened again.
#pragma once

#include <atomic>
#include <string>

#include "../Disk/Mutex.h"

namespace todana {

// GroupState owns it. GroupState and GroupFlush set it; FileGroup, GroupFlush and Checkpointer check it. It is never
// cleared: reopening makes a new group.
//
// Any thread, under any lock.
class Poison {
 public:
  bool isSet() const { return isSet_.load(std::memory_order_acquire); }
  // Keeps the first reason.
  void set(const char *reason) noexcept;
  // Throws Failure(TDN_MUST_REOPEN) with the reason.
  void throwIfSet() const;

 private:
  Mutex mutex_;         // held to set it
  std::string reason_;  // written once, before isSet_
  std::atomic<bool> isSet_{false};
};

}  // namespace todana
