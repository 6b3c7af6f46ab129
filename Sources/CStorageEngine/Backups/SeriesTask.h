// The work on a backup series, in steps of some megabytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "SeriesFormat.h"

namespace todana {

// One task. A `tdn_series_task` owns it, and the functions of the C interface call it. One thread at a time, with no
// lock of a group.
class SeriesTask {
 public:
  struct Progress {
    int64_t doneByteCount = 0;
    int64_t byteCount = 0;
    int64_t newByteCount = 0;  // written by a backup so far
    bool isDone = false;
  };
  // A damaged part of a backup.
  struct Damage {
    uint32_t number;      // of the backup
    std::string file;     // the store's file; empty: the whole backup
    int64_t offset = 0;
    int64_t byteCount = 0;
    std::string storedIn;  // the damaged file of the series
  };

  virtual ~SeriesTask() = default;

  // Does one step. Throws Failure.
  virtual void next(const std::function<void(const Damage &damage)> &onDamage) = 0;
  const Progress &progress() const { return progress_; }

 protected:
  // The number of groups in a step: 4 MiB.
  static constexpr int kGroupsInStep = 8;

  Progress progress_;
};

}  // namespace todana
