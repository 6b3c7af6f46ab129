// The mark of an unusable file group. It is set after a write with an unknown outcome: when the store is opened again,
// recovery determines which commits count.
#pragma once

#include <atomic>
#include <string>

#include "../Disk/Mutex.h"

namespace todana {

// A mark that makes a file group unusable. GroupState owns it. GroupState and GroupFlush set it; FileGroup, GroupFlush
// and Checkpointer check it. It is never cleared, because reopening makes a new group.
//
// Any thread, under any lock.
class Poison {
 public:
  bool isSet() const { return isSet_.load(std::memory_order_acquire); }
  // Sets the mark. Keeps the first reason.
  void set(const char *reason) noexcept;
  // Throws Failure(TDN_MUST_REOPEN) with the reason.
  void throwIfSet() const;

 private:
  Mutex mutex_;         // held while it is set
  std::string reason_;  // written once, before isSet_
  std::atomic<bool> isSet_{false};
};

}  // namespace todana
