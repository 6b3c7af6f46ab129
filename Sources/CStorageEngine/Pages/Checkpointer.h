// Writes pages of the log back to the main files, so that the log can be used anew: when it is called, when the log or
// memory has reached its limit, and on closing. It also flushes relaxed commits within a second.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "BackupHolds.h"
#include "GroupState.h"

namespace todana {

class LogIndex;

// Any thread.
class Checkpointer {
 public:
  explicit Checkpointer(GroupState &state) : state_(state) {}

  // One checkpoint at a time; taken before the commit mutex. Held by those who read main files while none is written.
  Mutex &mutex() TDN_RETURNS(mutex_) { return mutex_; }

  // Does nothing while a backup is made, which would lack what the checkpoint moves.
  void checkpoint() TDN_EXCLUDES(mutex_);
  // Does a checkpoint if something was committed since the last one; then both logs are new files, without bytes of the
  // old ones. Returns false, and nothing has changed, if that has to wait for a backup or for another commit.
  bool renewLogs() TDN_EXCLUDES(mutex_);
  // Writes everything back and removes the logs. No commit may follow.
  void close() TDN_EXCLUDES(mutex_);

  // Whether a limit is reached.
  bool isNeeded(const LogPair &logs) const;
  // Wants a checkpoint, or a flush within a second, in the background. Returns false if the system has no thread for it.
  bool want(bool checkpoint, bool flush) TDN_EXCLUDES(wakeMutex_);
  void stopBackground() TDN_EXCLUDES(wakeMutex_);

  BackupHolds &holds() TDN_REQUIRES(mutex_) { return holds_; }

 private:
  // What commits go to after the log is closed.
  enum class NextLog { none, reused, fresh };

  // Returns the generation that was written back; 0 if there was none.
  uint64_t writeBackClosed(NextLog next) TDN_REQUIRES(mutex_);
  LogPair::Closed closeLog(NextLog next) TDN_REQUIRES(mutex_);
  void writeBack(const LogPair::Closed &closed) TDN_REQUIRES(mutex_);
  void releasePages(const LogIndex &index, uint64_t generation) TDN_REQUIRES(mutex_);
  void releasePages(DataFile &file, const std::vector<uint32_t> &pages, uint64_t generation);
  void run();
  bool waitForWork() TDN_REQUIRES(wakeMutex_);

  GroupState &state_;
  Mutex mutex_;
  BackupHolds holds_ TDN_GUARDED_BY(mutex_);

  Mutex wakeMutex_;  // taken last
  Condition wake_;
  std::thread thread_ TDN_GUARDED_BY(wakeMutex_);
  bool isStopping_ TDN_GUARDED_BY(wakeMutex_) = false;
  bool wantsCheckpoint_ TDN_GUARDED_BY(wakeMutex_) = false;
  bool wantsFlush_ TDN_GUARDED_BY(wakeMutex_) = false;
};

}  // namespace todana
