// The background maintenance of data files. A file with too few buckets is rebuilt into a larger one, a file that
// wastes space into a tighter one (Rebuilding.h). A file can also be compacted in place on demand
// (InPlaceCompaction.h).
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <thread>

#include "../Disk/Mutex.h"
#include "Rebuilding.h"

namespace todana {

class TreeJoining;

// The maintenance of a session's files, one rebuild at a time. Session owns it, requests maintenance after commits, and
// compacts and converts on demand. A thread of its own does the requested work.
//
// Any thread. Callers of `compact` and `convert` hold no lock of the group: these functions take the mutex for
// rebuilds, and then commit.
class Maintenance {
 public:
  // `compactionRoom`: the disk space that a compaction on demand may use besides the files.
  Maintenance(CommitState &state, int64_t compactionRoom) : state_(state), compactionRoom_(compactionRoom) {}
  ~Maintenance() { stop(); }
  Maintenance(const Maintenance &) = delete;
  Maintenance &operator=(const Maintenance &) = delete;

  // Returns the bucket count of a tighter file. There are at least 1.5 buckets for each record. Rows may leave their
  // packs, so there is also at least one bucket for every eight rows. This second minimum never exceeds the present
  // bucket count.
  static uint64_t tightBucketCount(uint64_t recordCount, uint64_t rowCount, const HashFile &file);

  // Requests a check of the keyspace's file in the background.
  void request(Keyspace &keyspace);
  // Compacts the keyspace's file on this thread if it would become shorter. Returns false if it would not, or if
  // `progress` gave up.
  bool compact(Keyspace &keyspace, const Rebuilding::Progress &progress);
  // Keeps the background from rebuilding files, whose copies take room on a full disk. Abandons a rebuild there, and
  // waits for one on demand.
  class Pause {
   public:
    explicit Pause(Maintenance &maintenance);
    ~Pause() { maintenance_.pauseCount_--; }
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

   private:
    Maintenance &maintenance_;
  };

  // Compacts all files that would become shorter, on this thread, so that a commit has room on a full disk. Does nothing
  // unless commits have removed records since the last call. After a call that compacted no file, waits for twice as
  // many such commits unless `always`: each call looks at every file.
  void compactAll(bool always);
  // Notes that a commit has removed records.
  void noteRemoval() { removals_++; }
  // Rebuilds the file in another form, on this thread. Throws Rebuilding::Abandoned if `progress` gave up, or if the
  // keyspace moved to another file.
  void convert(Keyspace &keyspace, const Rebuilding::Progress &progress, const Rebuilding::Conversion &conversion);
  // Abandons the running rebuild. No request may follow.
  void stop();
  bool isStopping() const { return isStopping_; }

  // Returns the number of files that were rebuilt with more buckets.
  uint64_t growthCount() const { return growthCount_; }
  uint64_t compactionCount() const { return compactionCount_; }

 private:
  void run();
  void lookAt(Keyspace &keyspace);
  void runInBackground(Rebuilding &rebuilding, uint64_t bucketCount);
  uint64_t room();
  static uint64_t roomForCopy(uint64_t copyBytes);
  static bool joinLeaves(TreeJoining &&joining);
  bool compact(Keyspace &keyspace, const std::shared_ptr<const HashFile> &file, const Rebuilding::Progress &step);
  static bool runIfRoom(Rebuilding &rebuilding, uint64_t bucketCount);
  bool hasRoomToRebuild(uint64_t copyBytes, const Rebuilding &surveyed);
  std::shared_ptr<const HashFile> currentFile(Keyspace &keyspace);

  CommitState &state_;
  const int64_t compactionRoom_;
  Mutex mutex_;
  Condition wake_;
  std::deque<Keyspace *> waiting_ TDN_GUARDED_BY(mutex_);
  // The times before which a keyspace is not tried again after a failure.
  std::map<uint32_t, std::chrono::steady_clock::time_point> retryTimes_ TDN_GUARDED_BY(mutex_);
  Mutex rebuildingMutex_;  // one rebuild at a time
  std::atomic<bool> isStopping_{false};
  std::atomic<int> pauseCount_{0};
  std::atomic<uint64_t> removals_{1};  // commits since `compactAll`; a former session may have removed records
  std::atomic<uint64_t> removalsWanted_{1};
  std::atomic<uint64_t> growthCount_{0};
  std::atomic<uint64_t> compactionCount_{0};
  std::thread thread_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
