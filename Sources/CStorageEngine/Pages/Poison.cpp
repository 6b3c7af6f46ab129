#include "Poison.h"

#include <new>
#include <utility>

#include "../Disk/Failure.h"

namespace todana {

void Poison::set(const char *reason) noexcept {
  MutexLock lock(mutex_);
  if (isSet()) return;
  try {
    reason_ = "a write to disk failed, so the outcome of the last saves is unknown until the store is reopened: ";
    reason_ += reason;
  } catch (const std::bad_alloc &) {
    // The mark is set without the reason.
  }
  isSet_.store(true, std::memory_order_release);
}

void Poison::throwIfSet() const {
  if (!isSet()) return;
  std::string reason;
  try {
    reason = reason_;
  } catch (const std::bad_alloc &) {
    // The caller must get the code even if there is no memory for the reason.
  }
  throw Failure(TDN_MUST_REOPEN, std::move(reason));
}

}  // namespace todana
