// The state that the parts of a file group share. FileGroup commits, Checkpointer writes pages back to the main files,
// and DirectWrites writes new pages there directly.
#pragma once

#include <atomic>
#include <cstdint>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"
#include "../Disk/ReaderWriterLock.h"
#include "../Log/CommitRing.h"
#include "DiskRoom.h"
#include "FileEnvironment.h"
#include "GroupFlush.h"
#include "GroupSettings.h"
#include "LogPair.h"
#include "Poison.h"
#include "SharedCounter.h"

namespace todana {

// Counters since the group was opened. FileGroup, Checkpointer and DirectWrites increment them; `FileGroup::statistics`
// reads them. Any thread.
struct GroupCounters {
  std::atomic<uint64_t> commits{0}, logBytes{0}, directBytes{0}, checkpoints{0}, checkpointBytes{0};
  std::atomic<int64_t> privatePages{0};  // pages that exist only in memory
  std::atomic<int64_t> liveLogBytes{0};
};

// The shared fields and locks. FileGroup owns them, and passes them to its Checkpointer and DirectWrites.
//
// Fields guarded by the commit mutex are marked, and FileEnvironment describes its own. The others have locks of their
// own, are atomic, or never change.
struct GroupState {
  GroupState(Disk &disk, const GroupSettings &settings) : disk(disk), settings(settings), files(disk, this->settings) {}

  // Throws Failure: TDN_MUST_REOPEN, TDN_CLOSED or TDN_READ_ONLY.
  void requireWritable() const TDN_REQUIRES(commitMutex);
  // Closes files that have no other user, and whose committed pages are all in their main files.
  void closeIdleFiles() TDN_REQUIRES(commitMutex);
  // Poisons the group, and wakes all threads that wait for it. Throws Failure(TDN_MUST_REOPEN).
  [[noreturn]] void fail(const char *reason);

  Disk &disk;
  const GroupSettings settings;
  Poison poison;
  Mutex commitMutex;           // one commit at a time; taken before stateLock
  ReaderWriterLock stateLock;  // shared by readers of mappings, exclusive for the thread that changes them
  CommitRing ring;             // has a lock of its own
  LogPair logs TDN_GUARDED_BY(commitMutex);
  bool isClosed TDN_GUARDED_BY(commitMutex) = false;
  Condition roomMade;          // commits wait for it, with commitMutex, if a checkpoint lags far behind
  std::atomic<bool> lastCheckpointFailed{false};
  GroupFlush flush{poison};
  GroupCounters counters;
  DiskRoom room{disk, settings};
  SharedCounter mainFileChanges;  // incremented before the main files change, for reading in a child after a fork
  FileEnvironment files;
};

}  // namespace todana
