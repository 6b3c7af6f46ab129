#include "ForkGuard.h"

#include "Failure.h"

namespace todana {

void ForkGuard::throwUsedAfterFork() {
  throw Failure(TDN_USED_AFTER_FORK, "the store was opened before this process was forked: open it after forking");
}

}  // namespace todana
