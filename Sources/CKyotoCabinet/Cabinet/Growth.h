// Rebuilds data files that have become too small into larger ones, in the background.
//
// The new file is filled beside the group, in short steps, while commits go on in the old one. They note the keys that
// they change; those are carried over in rounds, the last of them in the commit that puts the new file in the old
// one's place. Until that commit nothing has happened: an error, or the end of the session, leaves the old file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "Commit.h"

namespace todana {

class Growth {
 public:
  explicit Growth(CommitState &state) : state_(state) {}
  ~Growth() { stop(); }
  Growth(const Growth &) = delete;
  Growth &operator=(const Growth &) = delete;

  void request(Structure &structure);
  // Gives up what is being built. Nothing is requested afterwards.
  void stop();

  uint64_t growthCount() const { return growthCount_; }

 private:
  class Rebuilding;

  void run();
  void grow(Structure &structure);

  CommitState &state_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Structure *> waiting_;
  // Failed before: not to be tried again until then.
  std::map<uint32_t, std::chrono::steady_clock::time_point> retryTimes_;
  std::atomic<bool> isStopping_{false};
  std::atomic<uint64_t> growthCount_{0};
  std::thread thread_;
};

}  // namespace todana
