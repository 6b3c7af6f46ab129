#include "GroupState.h"

#include <cstdlib>

#include "../Disk/Failure.h"

namespace todana {

void GroupState::requireWritable() const {
  poison.throwIfSet();
  if (isClosed) throw Failure(TDN_CLOSED, "the store is closed");
  if (settings.readOnly) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
}

// Closes idle files. Without a log, all commits are in the main files or, for a reader, in the logs that it has read.
void GroupState::closeIdleFiles() { files.open.closeIdle(logs.oldestLive()); }

void GroupState::fail(const char *reason) {
  poison.set(reason);
  flush.wakeAll();
  roomMade.notifyAll();
  poison.throwIfSet();
  std::abort();  // never reached, because the poison is set
}

}  // namespace todana
