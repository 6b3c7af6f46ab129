// Power failures while backups are added to a series and pruned.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "../../Sources/CStorageEngine/Backups/SeriesBackup.h"
#include "../../Sources/CStorageEngine/Backups/SeriesPrune.h"
#include "../../Sources/CStorageEngine/Backups/SeriesRestore.h"
#include "../../Sources/CStorageEngine/Backups/SeriesVerify.h"
#include "Files.h"
#include "PowerCut.h"
#include "RecordingDisk.h"
#include "include/CPowerFailure.h"

namespace todana::simulation {

namespace {

namespace fs = std::filesystem;

constexpr uint8_t kStoreID[16] = {1, 2, 3};
constexpr uint64_t kKept = 2;

void runToEnd(SeriesTask &task, const std::function<void(const SeriesTask::Damage &)> &onDamage) {
  while (!task.progress().isDone) task.next(onDamage);
}

void runToEnd(SeriesTask &task) {
  runToEnd(task, [](const SeriesTask::Damage &) {});
}

// The files of a store, as a backup sees them.
class Source {
 public:
  explicit Source(std::mt19937_64 &random) : random_(random), disk_("") {
    files_["0001-large"] = bytes(3 * kGroupSize / 2 + 100);
    files_["0002-small"] = bytes(5000);
    files_["empty"] = "";
  }

  const FileSystem &files() const { return files_; }
  Disk &disk() { return disk_; }

  void change() {
    std::string &large = files_["0001-large"];
    for (uint64_t count = random_() % 5; count > 0; count--) {
      large.replace(random_() % (large.size() - 100), 100, bytes(100));
    }
    if (random_() % 3 == 0) large += bytes(1 + random_() % 20'000);
    if (random_() % 4 == 0) large.replace(0, kPieceSize, std::string(kPieceSize, '\0'));
  }

  FileGroup::BackupPlan plan(uint64_t commitNumber) {
    FileGroup::BackupPlan plan;
    plan.commitNumber = commitNumber;
    plan.hold = std::make_shared<FileGroup::BackupHold>(std::make_shared<std::atomic<int>>(0));
    for (const auto &[name, content] : files_) {
      disk_.open(name, Disk::Mode::create)->write(0, content.data(), content.size());
      plan.files.push_back({name, static_cast<int64_t>(content.size())});
    }
    return plan;
  }

 private:
  std::string bytes(size_t count) {
    std::string bytes(count, 0);
    for (char &byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  std::mt19937_64 &random_;
  AnonymousDisk disk_;
  FileSystem files_;
};

class SeriesSimulation {
 public:
  SeriesSimulation(const power_failure_plan &plan, power_failure_result &result)
      : plan_(plan), result_(result), root_(plan.directory), random_(plan.seed), source_(random_) {}

  void run() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "series");
    disk_ = std::make_shared<RecordingDisk>(
      (root_ / "series").string(), FileSystem(), static_cast<RecordingDisk::Sabotage>(plan_.sabotage));
    for (int32_t index = 0; index < plan_.commit_count; index++) {
      source_.change();
      SeriesBackup backup(SeriesDirectory(disk_), kStoreID, source_.disk());
      backup.begin(source_.plan(static_cast<uint64_t>(index) + 1));
      runToEnd(backup);
      const auto number = static_cast<uint32_t>(backup.header().number);
      contents_[number] = source_.files();
      acknowledgedAt_[number] = disk_->operationCount();
      if (index % 3 == 1) prune();
    }
    cutPower();
    fs::remove_all(root_);
  }

 private:
  void prune() {
    const size_t begun = disk_->operationCount();
    const auto prune = SeriesPrune::keepingNewest(SeriesDirectory(disk_), kKept);
    const std::vector<uint32_t> before = SeriesDirectory(disk_).manifests();
    runToEnd(*prune);
    for (size_t index = 0; index + kKept < before.size(); index++) prunedAt_[before[index]] = begun;
  }

  void cutPower() {
    const std::vector<Operation> operations = disk_->take();
    result_.operations = static_cast<int64_t>(operations.size());
    std::vector<size_t> moments(static_cast<size_t>(plan_.state_count));
    for (size_t &moment : moments) moment = random_() % (operations.size() + 1);
    std::sort(moments.begin(), moments.end());
    PowerCut power(*disk_, plan_.sector_size, false);
    size_t position = 0;
    for (size_t moment : moments) {
      while (position < moment) power.apply(operations[position++]);
      try {
        check(power.state(random_, position ? &operations[position - 1] : nullptr), position);
      } catch (const std::exception &error) {
        if (result_.failures++ == 0) {
          std::snprintf(result_.first_failure, sizeof result_.first_failure, "seed %llu, after operation %zu: %s",
                        static_cast<unsigned long long>(plan_.seed), position, error.what());
        }
      }
      result_.states++;
    }
  }

  void check(const FileSystem &state, size_t position) {
    const fs::path directory = root_ / "crashed";
    lay(directory, state);
    verify(directory);
    const std::vector<uint32_t> found = SeriesDirectory(directory.string(), SeriesDirectory::Use::list).manifests();
    for (const auto &[number, at] : acknowledgedAt_) {
      auto pruned = prunedAt_.find(number);
      const bool mayBeGone = at > position || (pruned != prunedAt_.end() && pruned->second <= position);
      const bool isThere = std::find(found.begin(), found.end(), number) != found.end();
      require(isThere || mayBeGone, "backup " + std::to_string(number) + " is gone");
    }
    for (uint32_t number : found) compare(directory, number);
    // Files left by the power failure must not prevent another backup.
    {
      SeriesBackup next(SeriesDirectory(directory.string(), SeriesDirectory::Use::add), kStoreID, source_.disk());
      next.begin(source_.plan(1'000));
      runToEnd(next);
    }
    if (random_() % 2) {
      const auto prune =
        SeriesPrune::keepingNewest(SeriesDirectory(directory.string(), SeriesDirectory::Use::prune), kKept);
      runToEnd(*prune);
    }
    verify(directory);
  }

  static void verify(const fs::path &directory) {
    SeriesVerify verify(directory.string(), 0);
    runToEnd(verify, [](const SeriesTask::Damage &damage) {
      throw std::runtime_error("backup " + std::to_string(damage.number) + " is damaged in " + damage.storedIn);
    });
  }

  void compare(const fs::path &directory, uint32_t number) {
    const fs::path target = root_ / "restored";
    fs::remove_all(target);
    SeriesRestore restore(directory.string(), number, target.string());
    runToEnd(restore);
    for (const auto &[name, content] : contents_[number]) {
      require(readFile(target / name) == content, "backup " + std::to_string(number) + " gives another " + name);
    }
  }

  const power_failure_plan &plan_;
  power_failure_result &result_;
  const fs::path root_;
  std::mt19937_64 random_;
  Source source_;
  std::shared_ptr<RecordingDisk> disk_;
  std::map<uint32_t, FileSystem> contents_;
  std::map<uint32_t, size_t> acknowledgedAt_, prunedAt_;
};

}  // namespace

}  // namespace todana::simulation

bool power_failure_run_series(const power_failure_plan *plan, power_failure_result *result) {
  *result = {};
  try {
    todana::simulation::SeriesSimulation(*plan, *result).run();
    return true;
  } catch (const std::exception &error) {
    std::snprintf(result->first_failure, sizeof result->first_failure, "seed %llu: %s",
                  static_cast<unsigned long long>(plan->seed), error.what());
    return false;
  }
}
