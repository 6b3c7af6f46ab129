// A workload whose disk operations are recorded, with the times of its commits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>

#include "../../Sources/CStorageEngine/Pages/FileGroup.h"
#include "RecordingDisk.h"
#include "include/CPowerFailure.h"

namespace todana::simulation {

class Workload {
 public:
  virtual ~Workload() = default;
  Workload(const Workload &) = delete;
  Workload &operator=(const Workload &) = delete;

  virtual void run(power_failure_result &result) = 0;

  RecordingDisk &disk() { return disk_; }

  // Returns the newest commit acknowledged as durable before an operation.
  virtual uint64_t acknowledgedBefore(size_t operation) const = 0;
  // Returns an upper bound for the number of the newest commit begun before an operation.
  virtual uint64_t newestBefore(size_t operation) const = 0;

  // Recovers the files on `disk`, and compares them with the contents of the recovered commit, which must lie between
  // `acknowledged` and `newest`. If `goesOn`, tests that the recovered files can be used. Returns the commit.
  virtual uint64_t recoverAndCompare(
    Disk &disk, bool isReadOnly, uint64_t acknowledged, uint64_t newest, bool goesOn) const = 0;

  // Runs checks of the workload that need no power failure, in a scratch directory.
  virtual void checkRest(const std::filesystem::path &directory) const { (void)directory; }

 protected:
  // `directory` contains the files `initial`, which a power failure left at the end of the session `previous`. In the
  // first session `initial` is empty, and `previous` is null.
  Workload(
    const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
    const Workload *previous)
      : plan_(plan), random_(previous ? previous->random_ : std::mt19937_64(plan.seed)),
        disk_(directory, initial, static_cast<RecordingDisk::Sabotage>(plan.sabotage), longestFlush(plan)) {}

  // Returns a random durability, mostly full.
  FileGroup::Durability anyDurability() {
    const uint64_t choice = random_() % 8;
    return choice == 0   ? FileGroup::Durability::relaxed
           : choice == 1 ? FileGroup::Durability::bulk
                         : FileGroup::Durability::full;
  }

  const power_failure_plan &plan_;
  std::mt19937_64 random_;
  RecordingDisk disk_;

 private:
  // Returns the longest duration of a flush. If checkpoints run in the background, flushes take time, so that other
  // threads write during them.
  static std::chrono::microseconds longestFlush(const power_failure_plan &plan) {
    return std::chrono::microseconds(plan.in_background ? 2000 : 0);
  }
};

// Returns a workload that writes files of a FileGroup at random.
std::unique_ptr<Workload> makeFileWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous);

// Returns a workload of a cabinet: rows, keys, and trees, with compaction, growth, and backups.
std::unique_ptr<Workload> makeCabinetWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous);

}  // namespace todana::simulation
