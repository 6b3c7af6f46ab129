// Maintains the data files in the background: a file with too few buckets is rebuilt into a larger one, a file that wastes
// space into a tighter one (Rebuilding.h), or is compacted in place on demand (InPlaceCompaction.h).
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <thread>

#include "../Disk/Mutex.h"
#include "Rebuilding.h"

namespace todana {

class Maintenance {
 public:
  // `compactionRoom`: bytes on the disk that a compaction on demand may take besides the files.
  Maintenance(CommitState &state, int64_t compactionRoom) : state_(state), compactionRoom_(compactionRoom) {}
  ~Maintenance() { stop(); }
  Maintenance(const Maintenance &) = delete;
  Maintenance &operator=(const Maintenance &) = delete;

  // The buckets of a tighter file: for all records with room for more, and, if there are as many now, for a good part of
  // the rows to leave their packs again.
  static uint64_t tightBucketCount(uint64_t recordCount, uint64_t rowCount, const HashFile &file);

  // Has the keyspace's file looked at in the background.
  void request(Keyspace &keyspace);
  // Compacts the keyspace's file here and now, if it would become shorter. False if it would not, or `progress` gave up.
  bool compact(Keyspace &keyspace, const Rebuilding::Progress &progress);
  // Rebuilds it in another form, here and now. Throws Rebuilding::Abandoned where `progress` gave up, or the keyspace
  // moved to another file meanwhile.
  void convert(Keyspace &keyspace, const Rebuilding::Progress &progress, const Rebuilding::Conversion &conversion);
  // Gives up what is being built. Nothing is requested afterwards.
  void stop();
  bool isStopping() const { return isStopping_; }

  // Files that were given more buckets, and that were compacted.
  uint64_t growthCount() const { return growthCount_; }
  uint64_t compactionCount() const { return compactionCount_; }

 private:
  void run();
  void lookAt(Keyspace &keyspace);
  void requireRoom(uint64_t copyBytes);
  static uint64_t roomForCopy(uint64_t copyBytes);
  bool hasRoomToRebuild(uint64_t copyBytes, const Rebuilding &surveyed);
  std::shared_ptr<const HashFile> currentFile(Keyspace &keyspace);

  CommitState &state_;
  const int64_t compactionRoom_;
  Mutex mutex_;
  Condition wake_;
  std::deque<Keyspace *> waiting_ TDN_GUARDED_BY(mutex_);
  // Failed before: not to be tried again until then.
  std::map<uint32_t, std::chrono::steady_clock::time_point> retryTimes_ TDN_GUARDED_BY(mutex_);
  Mutex rebuildingMutex_;  // one at a time
  std::atomic<bool> isStopping_{false};
  std::atomic<uint64_t> growthCount_{0};
  std::atomic<uint64_t> compactionCount_{0};
  std::thread thread_ TDN_GUARDED_BY(mutex_);
};

}  // namespace todana
