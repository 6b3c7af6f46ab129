#include "SharedCounter.h"

#include <new>

#include <sys/mman.h>

namespace todana {

static_assert(std::atomic<uint64_t>::is_always_lock_free, "processes share the counter");

SharedCounter::SharedCounter() {
  void *memory =
    ::mmap(nullptr, sizeof(*shared_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : new (memory) std::atomic<uint64_t>(0);
}

SharedCounter::~SharedCounter() {
  if (shared_) ::munmap(shared_, sizeof(*shared_));
}

void SharedCounter::increment() {
  // A fork between the two makes the child read nothing, which is the safe side.
  own_++;
  if (shared_) (*shared_)++;
}

bool SharedCounter::isIncrementedElsewhere() const { return !shared_ || *shared_ != own_; }

}  // namespace todana
