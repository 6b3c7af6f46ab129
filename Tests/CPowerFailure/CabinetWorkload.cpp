#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "../../Sources/CStorageEngine/Commit/BatchCommit.h"
#include "../../Sources/CStorageEngine/Disk/Failure.h"
#include "CabinetModel.h"
#include "CabinetState.h"
#include "Changes.h"
#include "Files.h"
#include "KeyedSession.h"
#include "Workload.h"

namespace todana::simulation {

namespace {

class CabinetWorkload final : public Workload {
 public:
  CabinetWorkload(
    const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
    const CabinetWorkload *previous)
      : Workload(plan, directory, initial, previous), directory_(directory),
        // Sessions alternate: one compacts in place, the next one rebuilds files.
        compactsInPlace_(previous ? !previous->compactsInPlace_ : plan.seed % 2 == 1) {
    if (previous) {
      commits_ = previous->commits_;
    } else if (plan.seed % 5 == 0) {
      growthStepsLeft_ = 4;
      mustGrow_ = true;
    }
  }

  ~CabinetWorkload() override {
    isMigrationGivenUp_ = true;
    for (std::thread *thread : {&compaction_, &migration_}) {
      if (thread->joinable()) thread->join();
    }
  }

  void run(power_failure_result &result) override {
    FileGroup::Report report;
    session_ = std::make_unique<KeyedSession>(disk_, options(false), startsEncrypted(), report);
    // Continue from the recovered commit. It is durable now, and all later commits are lost.
    State state = commits_.empty() ? State() : stateOf(report.commitNumber);
    commits_.clear();
    commits_.push_back({report.commitNumber, 0, 0, std::move(state)});
    model_.read(*session_, hasRecords());
    for (int index = 0; index < plan_.commit_count; index++) step();
    endCompaction();
    if (plan_.keys != POWER_FAILURE_MIGRATING) awaitCompaction();
    if (mustGrow_) awaitGrowth();
    isMigrationGivenUp_ = random_() % 2 == 0;
    endMigration();
    const tdn_statistics statistics = (*session_)->statistics();
    result.commits += static_cast<int64_t>(statistics.commits);
    result.checkpoints += static_cast<int64_t>(statistics.checkpoints);
    result.compactions += static_cast<int64_t>(statistics.compactions);
    result.growths += static_cast<int64_t>(statistics.growths);
    result.direct_commits += statistics.direct_bytes > 0;
    result.migrations += migrationCount_;
    if (random_() % 2) session_->close();
    session_.reset();
  }

  uint64_t acknowledgedBefore(size_t operation) const override {
    uint64_t newest = 0;
    for (const Commit &commit : commits_) {
      if (commit.acknowledgedAt <= operation) newest = std::max(newest, commit.number);
    }
    return newest;
  }

  // Returns the number before the workload's next commit. Numbers in between belong to commits that the rebuilding of a
  // file makes.
  uint64_t newestBefore(size_t operation) const override {
    for (const Commit &commit : commits_) {
      if (commit.begunAt > operation) return commit.number - 1;
    }
    return UINT64_MAX;
  }

  uint64_t recoverAndCompare(
    Disk &disk, bool isReadOnly, uint64_t acknowledged, uint64_t newest, bool goesOn) const override {
    FileGroup::Report report;
    auto session = std::make_unique<KeyedSession>(disk, options(isReadOnly), startsEncrypted() && !isReadOnly, report);
    const uint64_t commit = report.commitNumber;
    require(commit >= acknowledged, "commit " + std::to_string(acknowledged) + " was acknowledged, but only " +
                                      std::to_string(commit) + " is left");
    require(commit <= newest, "commit " + std::to_string(commit) + " is there, but only " + std::to_string(newest) +
                                " had begun");
    State expected = stateOf(commit);
    requireState(*session, expected, commit);
    require((*session)->statesAreConsistent(), "the states do not belong to the other files");
    if (!goesOn || isReadOnly) return commit;
    if (session->hasMigration()) {
      require(session->migrate([](uint64_t, uint64_t) { return true; }), "a migration does not go on");
      require(!session->hasMigration(), "a migration does not end");
      requireState(*session, expected, commit);
    }
    // Tests that the recovered cabinet works: a commit, compaction, and the contents after closing and opening.
    Changes changes;
    const std::string key = "after";
    const uint32_t keyspace = (*session)->table().keyspace(TDN_KEYSPACE_KEYS, "recovered").id;
    const std::string value(3000, 'x');
    changes.put(keyspace, key, value);
    changes.commit(*session, FileGroup::Durability::full, hasRecords());
    expected["recovered"].add(hashOf(key, value));
    for (const Session::KeyspaceInfo &info : (*session)->keyspaces()) {
      (*session)->compact(info.id, [](uint64_t, uint64_t) { return true; });
    }
    session->close();
    session.reset();
    FileGroup::Report again;
    session = std::make_unique<KeyedSession>(disk, options(false), false, again);
    require(again.recoveredCommits == 0, "a clean close left something to recover");
    requireState(*session, expected, again.commitNumber);
    return commit;
  }

  // Checks that each copy of the files recovers to the commit at which the copy was made.
  void checkRest(const std::filesystem::path &directory) const override {
    for (const auto &[commit, files] : copies_) {
      lay(directory, files);
      DirectoryDisk disk(directory);
      recoverAndCompare(disk, false, commit, commit, true);
    }
  }

 private:
  struct Commit {
    uint64_t number;
    size_t begunAt;         // in operations
    size_t acknowledgedAt;  // SIZE_MAX: not acknowledged as durable
    State state;
  };
  tdn_options options(bool isReadOnly) const {
    tdn_options options;
    tdn_options_init(&options);
    options.access = isReadOnly ? TDN_ACCESS_READ : TDN_ACCESS_WRITE;
    options.sector_size = plan_.sector_size;
    options.strict = plan_.strict;
    options.direct_threshold = 64 << 10;
    if (compactsInPlace_) options.compaction_room = 0;
    const int64_t limit = plan_.strict ? 256 << 10 : 64 << 10;
    options.log_limit = plan_.in_background ? limit : 1 << 30;
    return options;
  }

  const State &stateOf(uint64_t number) const {
    const State *state = nullptr;
    for (const Commit &commit : commits_) {
      if (commit.number <= number) state = &commit.state;
    }
    require(state, "no commit is as old as " + std::to_string(number));
    return *state;
  }

  // Returns whether values must have the form of store records: required if the cabinet is encrypted or may be
  // encrypted later.
  bool hasRecords() const { return plan_.keys != POWER_FAILURE_NO_KEYS; }
  bool startsEncrypted() const { return plan_.keys == POWER_FAILURE_ENCRYPTED; }

  // MARK: Reading

  void requireState(KeyedSession &session, const State &expected, uint64_t commit) const {
    State found;
    for (const Session::KeyspaceInfo &info : session->keyspaces()) {
      Digest digest;
      session.scan(info, hasRecords(), [&](const std::string &key, std::string_view value) {
        digest.add(hashOf(key, value));
      });
      require(session->count(info.id) == digest.count, info.name + " counts other records than it has");
      if (digest.count > 0) found[info.name] = digest;
    }
    for (const auto &[name, digest] : expected) {
      require(digest.count == 0 || found[name] == digest,
              name + " does not have the content of commit " + std::to_string(commit));
    }
    for (const auto &[name, digest] : found) {
      require(expected.count(name) == 1, name + " is not of commit " + std::to_string(commit));
    }
  }

  // MARK: Changing

  void step() {
    if (random_() % 3 == 0) endCompaction();
    if (random_() % 4 == 0) beginCompaction();
    if (plan_.keys == POWER_FAILURE_MIGRATING && random_() % 3 == 0) beginMigration();
    if (random_() % 3 == 0) load();
    Changes changes;
    model_.begin();
    State state = commits_.back().state;
    const size_t touched = 1 + random_() % 3;
    for (size_t count = 0; count < touched; count++) model_.change(*session_, changes, state);
    if (growthStepsLeft_ > 0) {
      // After the last of these steps, the file has more than two records per bucket, so it is rebuilt with more
      // buckets.
      auto &many = model_.contentsOf(*session_, TDN_KEYSPACE_KEYS, "many");
      model_.addNew(*session_, changes, many, state["many"], 2200);
    }
    model_.addChecks(changes);
    if (random_() % 4 == 0) model_.adopt(changes, state);
    const bool conflicts = random_() % 10 == 0 && model_.addConflict(changes);
    const FileGroup::Durability durability = anyDurability();
    const size_t begun = disk_.operationCount();
    try {
      const uint64_t number = changes.commit(*session_, durability, hasRecords());
      require(!conflicts, "a commit has overlooked a conflict");
      model_.settle(number, state);
      if (changes.adopts()) model_.endLoading(*session_);
      if (growthStepsLeft_ > 0) growthStepsLeft_--;
      // A batch that changes nothing returns the number of the newest commit, which may be a compaction's.
      if (isSame(state, commits_.back().state)) return;
      const bool isFull = durability == FileGroup::Durability::full;
      commits_.push_back({number, begun, isFull ? disk_.operationCount() : SIZE_MAX, std::move(state)});
    } catch (const Conflict &) {
      require(conflicts, "a commit has found a conflict where there is none");
      model_.revert();
    } catch (const Failure &failure) {
      // The keys were renewed after the loading began, so the keyspace must be loaded again.
      if (failure.code != TDN_INTERRUPTED || !changes.adopts() || plan_.keys != POWER_FAILURE_MIGRATING) throw;
      model_.revert();
      model_.endLoading(*session_);
    }
    if (!plan_.in_background && random_() % 8 == 0) (*session_)->group().checkpoint();
    if (random_() % 12 == 0) copyFiles();
  }

  void load() {
    try {
      model_.load(*session_, hasRecords());
    } catch (const Failure &failure) {
      if (failure.code != TDN_INTERRUPTED || plan_.keys != POWER_FAILURE_MIGRATING) throw;
      model_.endLoading(*session_);
    }
  }

  // Makes commits until a compaction succeeds. Dropping or replacing a file ends its compaction early.
  void awaitCompaction() {
    for (int attempt = 0; attempt < 100 && (*session_)->statistics().compactions == 0; attempt++) {
      step();
      beginCompaction();
      endCompaction();
    }
  }

  // Waits until a file has grown in the background. A compaction can prevent the growth, so further commits request it
  // again.
  void awaitGrowth() {
    for (int attempt = 0; (*session_)->statistics().growths == 0; attempt++) {
      require(attempt < 1000, "a crowded file does not grow");
      if (attempt % 100 == 99) step();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // MARK: Beside commits

  void beginCompaction() {
    if (compaction_.joinable() || model_.keyspaces().empty()) return;
    auto chosen = model_.keyspaces().begin();
    std::advance(chosen, random_() % model_.keyspaces().size());
    const uint32_t keyspace = chosen->second.id;
    const bool isGivenUp = random_() % 4 == 0;
    compaction_ = std::thread([this, keyspace, isGivenUp] {
      try {
        (*session_)->compact(keyspace, [isGivenUp, steps = 0](uint64_t, uint64_t) mutable {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return !isGivenUp || ++steps < 3;
        });
      } catch (const Failure &failure) {
        // A batch has dropped the keyspace.
        if (failure.code != TDN_NO_KEYSPACE) compactionFailure_ = std::current_exception();
      } catch (const std::exception &) {
        compactionFailure_ = std::current_exception();
      }
    });
    // Sometimes let the compaction end before the next change.
    if (random_() % 3 == 0) endCompaction();
  }

  void endCompaction() {
    if (compaction_.joinable()) compaction_.join();
    if (compactionFailure_) std::rethrow_exception(std::exchange(compactionFailure_, nullptr));
  }

  void beginMigration() {
    if (migration_.joinable()) {
      if (isMigrationOver_) endMigration();
      return;
    }
    if (!session_->prepareMigration(random_())) return;
    const uint64_t mostSteps = random_() % 4 == 0 ? random_() % 20 : UINT64_MAX;
    isMigrationGivenUp_ = false;
    isMigrationOver_ = false;
    migration_ = std::thread([this, mostSteps] {
      try {
        migrationCount_ += session_->migrate([this, mostSteps, steps = uint64_t{0}](uint64_t, uint64_t) mutable {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return !isMigrationGivenUp_ && ++steps < mostSteps;
        });
      } catch (const std::exception &) {
        migrationFailure_ = std::current_exception();
      }
      isMigrationOver_ = true;
    });
    if (random_() % 3 == 0) endMigration();
  }

  void endMigration() {
    if (migration_.joinable()) migration_.join();
    if (migrationFailure_) std::rethrow_exception(std::exchange(migrationFailure_, nullptr));
  }

  // Copies the files as a backup does. Does nothing during a migration, because the key file may change while it is
  // copied.
  void copyFiles() {
    if (migration_.joinable()) return;
    const FileGroup::BackupPlan plan = (*session_)->group().planBackup([](const std::string &) { return true; });
    FileSystem files;
    for (const FileGroup::BackupPlan::File &file : plan.files) {
      std::string &content = files[file.name];
      content.resize(static_cast<size_t>(file.byteCount));
      const std::unique_ptr<DiskFile> source = disk_.open(file.name, Disk::Mode::read);
      require(
        source && source->read(0, content.data(), content.size()) == content.size(), "a file of a backup is missing");
    }
    copies_.emplace_back(plan.commitNumber, std::move(files));
  }

  const std::filesystem::path directory_;
  const bool compactsInPlace_;
  std::unique_ptr<KeyedSession> session_;
  CabinetModel model_{random_};
  std::vector<Commit> commits_;
  std::vector<std::pair<uint64_t, FileSystem>> copies_;
  std::thread compaction_;
  std::exception_ptr compactionFailure_;
  std::thread migration_;
  std::exception_ptr migrationFailure_;
  std::atomic<bool> isMigrationGivenUp_{false};
  std::atomic<bool> isMigrationOver_{false};
  int64_t migrationCount_ = 0;
  int growthStepsLeft_ = 0;
  bool mustGrow_ = false;
};

}  // namespace

std::unique_ptr<Workload> makeCabinetWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous) {
  return std::make_unique<CabinetWorkload>(plan, directory, initial, static_cast<const CabinetWorkload *>(previous));
}

}  // namespace todana::simulation
