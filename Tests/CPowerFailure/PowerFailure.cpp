#include "include/CPowerFailure.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../../Sources/CStorageEngine/Disk/Failure.h"
#include "Files.h"
#include "PowerCut.h"
#include "RecordingDisk.h"
#include "Workload.h"

namespace todana::simulation {

namespace {

namespace fs = std::filesystem;

using MakeWorkload = decltype(makeFileWorkload);

class Simulation {
 public:
  Simulation(const power_failure_plan &plan, MakeWorkload *make, power_failure_result &result)
      : plan_(plan), make_(make), result_(result), root_(plan.directory), random_(plan.seed * 7919 + 13) {}

  // Runs the sessions. Each one opens the files that a power failure left at the end of the previous session.
  void run() {
    fs::remove_all(root_);
    std::unique_ptr<Workload> previous;
    FileSystem left;
    for (int session = 0; session < plan_.session_count; session++) {
      lay(root_ / "live", left);
      std::unique_ptr<Workload> workload = make_(plan_, root_ / "live", left, previous.get());
      workload->run(result_);
      workload->checkRest(root_ / "crashed");
      left = cutPower(*workload, plan_.state_count * (session + 1) / plan_.session_count - result_.states);
      previous = std::move(workload);
    }
    fs::remove_all(root_);
  }

 private:
  // Recovers and checks `count` states that a power cut could have left. Returns one of the states.
  FileSystem cutPower(Workload &workload, size_t count) {
    const std::vector<Operation> operations = workload.disk().take();
    result_.operations += static_cast<int64_t>(operations.size());
    std::vector<size_t> moments(count);
    for (size_t &moment : moments) moment = random_() % (operations.size() + 1);
    std::sort(moments.begin(), moments.end());
    const size_t chosen = random_() % count;
    FileSystem result;
    PowerCut power(workload.disk(), plan_.sector_size, plan_.strict);
    size_t position = 0;
    for (size_t index = 0; index < count; index++) {
      while (position < moments[index]) power.apply(operations[position++]);
      const FileSystem state = power.state(random_, position ? &operations[position - 1] : nullptr);
      check(power, workload, state, workload.acknowledgedBefore(position), workload.newestBefore(position), position);
      if (index == chosen) result = state;
    }
    return result;
  }

  void check(
    const PowerCut &power, const Workload &workload, const FileSystem &state, uint64_t acknowledged, uint64_t newest,
    size_t position) {
    const fs::path directory = root_ / "crashed";
    std::string circumstance;
    try {
      lay(directory, state);
      const bool isReadOnly = random_() % 6 == 0;
      const bool isNested = plan_.nested && !isReadOnly && random_() % 5 == 0;
      const bool isKill = isNested && random_() % 3 == 0;
      circumstance = isReadOnly ? " (read-only)" : isKill ? " (after a kill)" : isNested ? " (nested)" : "";
      uint64_t commit;
      if (isKill) {
        commit = checkKill(directory, power, workload, acknowledged, newest);
      } else if (isNested) {
        commit = checkNested(directory, workload, acknowledged, newest);
      } else {
        DirectoryDisk disk(directory);
        commit = workload.recoverAndCompare(disk, isReadOnly, acknowledged, newest, random_() % 4 == 0);
      }
      if (isReadOnly) require(readAll(directory) == state, "a read-only opening changed the files");
    } catch (const std::exception &error) {
      fail(std::string(error.what()) + fileOf(error) + circumstance, position);
    }
    result_.states++;
  }

  // Cuts the power again during the recovery from the first power failure.
  uint64_t checkNested(
    const fs::path &directory, const Workload &workload, uint64_t acknowledged, uint64_t newest) {
    const FileSystem before = readAll(directory);
    RecordingDisk disk(directory, before, RecordingDisk::Sabotage::none);
    const uint64_t commit = workload.recoverAndCompare(disk, false, acknowledged, newest, false);
    const std::vector<Operation> operations = disk.take();
    for (int again = 0; again < 3; again++) {
      PowerCut power(disk, plan_.sector_size, plan_.strict);
      const size_t moment = random_() % (operations.size() + 1);
      for (size_t position = 0; position < moment; position++) power.apply(operations[position]);
      lay(directory, power.state(random_, moment ? &operations[moment - 1] : nullptr));
      DirectoryDisk second(directory);
      const uint64_t recovered = workload.recoverAndCompare(second, false, acknowledged, newest, false);
      require(recovered == commit, "a second recovery found another commit than the first");
      result_.nested_states++;
    }
    return commit;
  }

  // Kills the process, and cuts the power during the recovery. Writes that were not flushed before the kill may then be
  // lost.
  uint64_t checkKill(
    const fs::path &directory, const PowerCut &power, const Workload &workload, uint64_t acknowledged,
    uint64_t newest) {
    lay(directory, power.killed());
    RecordingDisk disk(directory, power.names(), power.nextInode());
    const uint64_t commit = workload.recoverAndCompare(disk, false, acknowledged, newest, false);
    const std::vector<Operation> operations = disk.take();
    for (int again = 0; again < 3; again++) {
      PowerCut second = power;
      const size_t moment = random_() % (operations.size() + 1);
      for (size_t position = 0; position < moment; position++) second.apply(operations[position]);
      lay(directory, second.state(random_, moment ? &operations[moment - 1] : nullptr));
      DirectoryDisk left(directory);
      const uint64_t recovered = workload.recoverAndCompare(left, false, acknowledged, newest, false);
      require(recovered <= commit, "a power failure after a kill left more than the kill");
      result_.nested_states++;
    }
    return commit;
  }

  static std::string fileOf(const std::exception &error) {
    const Failure *failure = dynamic_cast<const Failure *>(&error);
    return failure && !failure->file.empty() ? " [" + failure->file + " page " + std::to_string(failure->page) + "]" : "";
  }

  void fail(const std::string &what, size_t position) {
    if (result_.failures++ == 0) {
      std::snprintf(result_.first_failure, sizeof result_.first_failure, "seed %llu, after operation %zu: %s",
                    static_cast<unsigned long long>(plan_.seed), position, what.c_str());
    }
  }

  const power_failure_plan &plan_;
  MakeWorkload *const make_;
  power_failure_result &result_;
  const fs::path root_;
  std::mt19937_64 random_;
};

bool run(const power_failure_plan *plan, MakeWorkload *make, power_failure_result *result) {
  *result = {};
  try {
    Simulation(*plan, make, *result).run();
    return true;
  } catch (const std::exception &error) {
    std::snprintf(result->first_failure, sizeof result->first_failure, "seed %llu: %s",
                  static_cast<unsigned long long>(plan->seed), error.what());
    return false;
  }
}

}  // namespace

}  // namespace todana::simulation

using namespace todana::simulation;

bool power_failure_run(const power_failure_plan *plan, power_failure_result *result) {
  return run(plan, makeFileWorkload, result);
}

bool power_failure_run_cabinet(const power_failure_plan *plan, power_failure_result *result) {
  return run(plan, makeCabinetWorkload, result);
}
