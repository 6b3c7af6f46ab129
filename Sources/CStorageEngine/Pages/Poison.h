// Marks a file group as unusable after a write whose outcome is unknown: what counts, recovery finds out when the store
// is opened again.
#pragma once

#include <atomic>
#include <string>

#include "../Disk/Mutex.h"

namespace todana {

// Any thread.
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
