// The part of a file group that writes logged pages back to the main files, so that the log can be reused. It does so
// on request, when the log or memory has reached its limit, and on closing. It also flushes relaxed commits within a
// second.
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

// The checkpointer, which runs one checkpoint at a time, concurrently with commits. FileGroup owns it, and calls
// `checkpoint`, `renewLogs` and `close` for its own callers. A thread of its own works in the background.
//
// Any thread. Its mutex is taken before the commit mutex. With the commit mutex held, FileGroup calls only `isNeeded`.
class Checkpointer {
 public:
  explicit Checkpointer(GroupState &state) : state_(state) {}

  // Returns the mutex of a running checkpoint, which is taken before the commit mutex. FileGroup holds it to read main
  // files while no checkpoint writes them.
  Mutex &mutex() TDN_RETURNS(mutex_) { return mutex_; }

  // Runs a checkpoint. Does nothing during a backup, which would lack the pages that a checkpoint moves.
  void checkpoint() TDN_EXCLUDES(mutex_);
  // Runs a checkpoint that takes no space for another log. Does nothing during a backup.
  void checkpointOnFullDisk() TDN_EXCLUDES(mutex_);
  // Runs a checkpoint if there were commits since the last one, and replaces both logs by new files without old bytes.
  // Returns false, without any change, if that must wait for a backup or for another commit.
  bool renewLogs() TDN_EXCLUDES(mutex_);
  // Writes everything back and removes the logs. No commit may follow.
  void close() TDN_EXCLUDES(mutex_);

  // Tests whether the log or memory has reached its limit. Under the commit mutex.
  bool isNeeded(const LogPair &logs) const;
  // Requests a checkpoint, or a flush within a second, in the background. Returns false if no thread could be created
  // for the request.
  bool want(bool checkpoint, bool flush) TDN_EXCLUDES(wakeMutex_);
  void stopBackground() TDN_EXCLUDES(wakeMutex_);

  BackupHolds &holds() TDN_REQUIRES(mutex_) { return holds_; }

 private:
  // The log for the commits after the current one was closed.
  enum class NextLog { none, reused, fresh };

  // Closes the current log, unless one is closed already, and writes it back. Returns its generation; 0 if there was
  // none.
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
