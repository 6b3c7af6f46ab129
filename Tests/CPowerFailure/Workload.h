// A workload whose disk operations are recorded, and what it knows of its commits.
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

  // The newest commit acknowledged as durable before an operation, and a commit that had not begun before it is above.
  virtual uint64_t acknowledgedBefore(size_t operation) const = 0;
  virtual uint64_t newestBefore(size_t operation) const = 0;

  // Recovers what `disk` holds, and compares it with what the recovered commit had, which must lie between these two.
  // `goesOn`: then goes on with it. Returns the commit.
  virtual uint64_t recoverAndCompare(
    Disk &disk, bool isReadOnly, uint64_t acknowledged, uint64_t newest, bool goesOn) const = 0;

  // Where there is more to check than power failures, in a directory that may be used.
  virtual void checkRest(const std::filesystem::path &directory) const { (void)directory; }

 protected:
  // `directory` holds `initial`, which a power failure left of `previous`; both empty in the first session.
  Workload(
    const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
    const Workload *previous)
      : plan_(plan), random_(previous ? previous->random_ : std::mt19937_64(plan.seed)),
        disk_(directory, initial, static_cast<RecordingDisk::Sabotage>(plan.sabotage), longestFlush(plan)) {}

  // Mostly full.
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
  // A flush that took no time would be over before another thread wrote anything.
  static std::chrono::microseconds longestFlush(const power_failure_plan &plan) {
    return std::chrono::microseconds(plan.in_background ? 2000 : 0);
  }
};

// Files of a FileGroup that are written at random.
std::unique_ptr<Workload> makeFileWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous);

// Keyspaces of a cabinet: rows, keys, and trees, with compaction, growth, and backups.
std::unique_ptr<Workload> makeCabinetWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous);

}  // namespace todana::simulation
