#include "include/CPowerFailure.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "../../Sources/CKyotoCabinet/Checksum.h"
#include "../../Sources/CKyotoCabinet/Failure.h"
#include "../../Sources/CKyotoCabinet/FileGroup.h"
#include "PowerCut.h"
#include "RecordingDisk.h"

namespace todana::simulation {

namespace {

namespace fs = std::filesystem;

struct Abandoned : std::exception {};

void require(bool condition, const std::string &what) {
  if (!condition) throw std::runtime_error(what);
}

// What one file holds, in short.
struct Digest {
  int64_t size = 0;
  uint64_t hash = 0;
  bool operator==(const Digest &other) const { return size == other.size && hash == other.hash; }
};

Digest digest(const char *bytes, int64_t size) { return {size, checksum(bytes, size, 7)}; }

using State = std::map<uint32_t, Digest>;

std::string nameOf(uint32_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "%04u-file", number);
  return name;
}

// The workload and what it knows of each commit.
class Workload {
 public:
  // `directory` holds `initial`, which a power failure left of `previous`; both empty in the first session.
  Workload(
    const power_failure_plan &plan, const fs::path &directory, const FileSystem &initial, const Workload *previous)
      : plan_(plan), random_(previous ? previous->random_ : std::mt19937_64(plan.seed)),
        disk_(directory, initial, static_cast<RecordingDisk::Sabotage>(plan.sabotage), longestFlush(plan)) {
    if (!previous) return;
    states_ = previous->states_;
    nextNumber_ = previous->nextNumber_;
  }

  void run(power_failure_result &result) {
    FileGroup::Report report;
    group_ = FileGroup::open(disk_, settings(plan_), report);
    states_.resize(report.commitNumber + 1);
    begunAt_.assign(states_.size(), 0);
    acknowledged_.assign(1, {report.commitNumber, 0});
    openFiles();
    for (int index = 0; index < plan_.commit_count; index++) step();
    tdn_statistics statistics = group_->statistics();
    result.commits += static_cast<int64_t>(statistics.commits);
    result.checkpoints += static_cast<int64_t>(statistics.checkpoints);
    result.direct_commits += directCommits_;
    if (random_() % 2) group_->close();
    files_.clear();
    group_.reset();
  }

  // A flush that took no time would be over before the other thread wrote anything.
  static std::chrono::microseconds longestFlush(const power_failure_plan &plan) {
    return std::chrono::microseconds(plan.in_background ? 2000 : 0);
  }

  static FileGroup::Settings settings(const power_failure_plan &plan) {
    FileGroup::Settings settings;
    settings.sectorSize = plan.sector_size;
    settings.strict = plan.strict;
    settings.directThreshold = 64 << 10;
    // A few commits: whole pages fill the log faster.
    const int64_t limit = plan.strict ? 128 << 10 : 32 << 10;
    settings.logLimit = plan.in_background ? limit : 1 << 30;
    return settings;
  }

  RecordingDisk &disk() { return disk_; }
  const State &state(uint64_t commit) const { return states_[commit]; }
  // The newest commit acknowledged as durable, and the newest begun, before an operation.
  uint64_t acknowledgedBefore(size_t operation) const {
    uint64_t newest = 0;
    for (const auto &[commit, at] : acknowledged_) {
      if (at <= operation) newest = std::max(newest, commit);
    }
    return newest;
  }
  uint64_t begunBefore(size_t operation) const {
    uint64_t newest = 0;
    for (size_t commit = 0; commit < begunAt_.size(); commit++) {
      if (begunAt_[commit] <= operation) newest = commit;
    }
    return newest;
  }

 private:
  struct File {
    std::shared_ptr<DataFile> file;
    std::string content;
  };

  // What the session before this one left.
  void openFiles() {
    std::vector<uint32_t> numbers;
    for (const auto &[number, expected] : states_.back()) numbers.push_back(number);
    group_->keepOnly(numbers);
    FileGroup::ReadLock lock(*group_);
    for (const auto &[number, expected] : states_.back()) {
      File file{group_->openFile(number, nameOf(number)), {}};
      if (expected.size > 0) file.file->verify(0, file.file->size());
      file.content.assign(file.file->at(0), file.file->size());
      require(digest(file.content.data(), file.file->size()) == expected, nameOf(number) + " has changed");
      files_[number] = std::move(file);
    }
  }

  void step() {
    std::map<uint32_t, File> before = files_;
    std::vector<uint32_t> created;
    std::shared_ptr<DataFile> building;
    std::string buildingContent;
    if (random_() % 12 == 0) build(building, buildingContent);
    const bool abandons = random_() % 10 == 0;
    const bool isRelaxed = random_() % 4 == 0;
    const size_t begun = disk_.operationCount();
    uint8_t id[16];
    for (uint8_t &byte : id) byte = static_cast<uint8_t>(random_());
    const uint64_t directBefore = group_->statistics().direct_bytes;
    try {
      const uint64_t number = group_->commit(
        id, isRelaxed ? FileGroup::Durability::relaxed : FileGroup::Durability::full,
        [&] {
          change(building, buildingContent);
          if (abandons) throw Abandoned();
        },
        [] {});
      if (number + 1 == states_.size()) return;  // nothing was written
      require(number == states_.size(), "commit numbers do not grow by one");
      require(group_->outcome(id) == number, "the outcome of a batch is not known");
      State state;
      for (const auto &[file, content] : files_) state[file] = digest(content.content.data(), content.content.size());
      states_.push_back(std::move(state));
      begunAt_.push_back(begun);
      if (!isRelaxed) acknowledged_.push_back({number, disk_.operationCount()});
      directCommits_ += group_->statistics().direct_bytes > directBefore;
    } catch (const Abandoned &) {
      files_ = std::move(before);
    }
    compareWithMemory();
    if (!plan_.in_background && random_() % 8 == 0) group_->checkpoint();
  }

  void build(std::shared_ptr<DataFile> &building, std::string &content) {
    const uint32_t number = nextNumber_++;
    building = group_->createBuildingFile(number, nameOf(number));
    content = bytes(1 + random_() % 100'000);
    building->write(0, content.data(), content.size());
    if (random_() % 2) writeMore(*building, content);
    group_->sealBuildingFile(building);
    for (uint64_t count = random_() % 4; count > 0; count--) writeMore(*building, content);
  }

  void writeMore(DataFile &building, std::string &content) {
    const std::string more = bytes(1 + random_() % 9000);
    const size_t offset = random_() % (content.size() + 1);
    if (content.size() < offset + more.size()) content.resize(offset + more.size(), 0);
    content.replace(offset, more.size(), more);
    building.write(static_cast<int64_t>(offset), more.data(), more.size());
  }

  void change(const std::shared_ptr<DataFile> &building, const std::string &buildingContent) {
    if (building) {
      group_->adoptFile(building);
      files_[building->number()] = {building, buildingContent};
    }
    if (files_.empty() || (files_.size() < 6 && random_() % 6 == 0)) {
      const uint32_t number = nextNumber_++;
      File file{group_->createFile(number, nameOf(number)), {}};
      file.content.resize(random_() % 20'000, 0);
      file.file->grow(static_cast<int64_t>(file.content.size()));
      files_[number] = std::move(file);
    }
    const size_t touched = random_() % (files_.size() + 1);
    for (size_t count = 0; count < touched; count++) {
      auto entry = files_.begin();
      std::advance(entry, random_() % files_.size());
      if (building && entry->second.file == building) continue;
      const size_t writes = 1 + random_() % 6;
      for (size_t write = 0; write < writes; write++) this->write(entry->second);
    }
    if (files_.size() > 2 && random_() % 15 == 0) {
      auto entry = files_.begin();
      std::advance(entry, random_() % files_.size());
      if (building && entry->second.file == building) return;
      group_->dropFile(entry->second.file);
      files_.erase(entry);
    }
  }

  void write(File &file) {
    const bool isLarge = random_() % 12 == 0;
    const std::string text = bytes(isLarge ? 70'000 + random_() % 90'000 : 1 + random_() % 700);
    const bool appends = isLarge || file.content.empty() || random_() % 3 == 0;
    const size_t offset = appends ? file.content.size() : random_() % file.content.size();
    if (file.content.size() < offset + text.size()) file.content.resize(offset + text.size(), 0);
    file.content.replace(offset, text.size(), text);
    file.file->write(static_cast<int64_t>(offset), text.data(), text.size());
  }

  std::string bytes(size_t count) {
    std::string result(count, 0);
    for (size_t index = 0; index < count; index += 8) {
      const uint64_t value = random_();
      std::memcpy(&result[index], &value, std::min<size_t>(8, count - index));
    }
    return result;
  }

  void compareWithMemory() {
    FileGroup::ReadLock lock(*group_);
    for (const auto &[number, file] : files_) {
      require(file.file->size() == static_cast<int64_t>(file.content.size()), "a file in memory has the wrong size");
      if (file.content.empty()) continue;
      file.file->verify(0, file.file->size());
      require(std::memcmp(file.file->at(0), file.content.data(), file.content.size()) == 0,
              "a file in memory has the wrong content");
    }
  }

  const power_failure_plan &plan_;
  std::mt19937_64 random_;
  RecordingDisk disk_;
  std::unique_ptr<FileGroup> group_;
  std::map<uint32_t, File> files_;
  uint32_t nextNumber_ = 1;
  std::vector<State> states_;           // by commit number
  std::vector<size_t> begunAt_;         // operation count when a commit began
  std::vector<std::pair<uint64_t, size_t>> acknowledged_;
  int64_t directCommits_ = 0;
};

void lay(const fs::path &directory, const FileSystem &files) {
  fs::remove_all(directory);
  fs::create_directories(directory);
  for (const auto &[name, content] : files) {
    std::ofstream stream(directory / name, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  }
}

FileSystem readAll(const fs::path &directory) {
  FileSystem files;
  for (const auto &entry : fs::directory_iterator(directory)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(stream), {});
  }
  return files;
}

// Recovers, and compares every file with what the recovered commit had. Returns the commit.
uint64_t recoverAndCompare(
  Disk &disk, const FileGroup::Settings &settings, const Workload &workload, uint64_t acknowledged, uint64_t begun,
  bool goesOn) {
  FileGroup::Report report;
  std::unique_ptr<FileGroup> group = FileGroup::open(disk, settings, report);
  const uint64_t commit = report.commitNumber;
  require(commit >= acknowledged, "commit " + std::to_string(acknowledged) + " was acknowledged, but only " +
                                    std::to_string(commit) + " is left");
  require(commit <= begun, "commit " + std::to_string(commit) + " is there, but only " + std::to_string(begun) +
                             " had begun");
  std::vector<uint32_t> numbers;
  for (const auto &[number, expected] : workload.state(commit)) numbers.push_back(number);
  if (!settings.readOnly) group->keepOnly(numbers);
  std::vector<std::shared_ptr<DataFile>> files;
  for (const auto &[number, expected] : workload.state(commit)) {
    std::shared_ptr<DataFile> file = group->openFile(number, nameOf(number));
    if (expected.size > 0) file->verify(0, file->size());
    require(digest(file->at(0), file->size()) == expected,
            nameOf(number) + " does not have the content of commit " + std::to_string(commit));
    files.push_back(file);
  }
  if (!goesOn || settings.readOnly || files.empty()) return commit;
  // The recovered group works: a commit, a checkpoint at close, and the content after reopening.
  const uint8_t id[16] = {42};
  const std::string text(5000, 'x');
  const std::shared_ptr<DataFile> last = files.back();
  const int64_t end = last->size();
  group->commit(id, FileGroup::Durability::full, [&] { last->write(end, text.data(), text.size()); }, [] {});
  const uint32_t number = last->number();
  const Digest expected = digest(last->at(0), last->size());
  files.clear();
  group->close();
  group.reset();
  FileGroup::Report again;
  group = FileGroup::open(disk, settings, again);
  require(again.commitNumber == commit + 1 && again.recoveredCommits == 0, "a clean close left something to recover");
  std::shared_ptr<DataFile> reopened = group->openFile(number, nameOf(number));
  reopened->verify(0, reopened->size());
  require(digest(reopened->at(0), reopened->size()) == expected, "a commit after recovery is lost");
  return commit;
}

class Simulation {
 public:
  Simulation(const power_failure_plan &plan, power_failure_result &result)
      : plan_(plan), result_(result), root_(plan.directory), random_(plan.seed * 7919 + 13) {}

  // Sessions that go on with what a power failure left of the one before.
  void run() {
    fs::remove_all(root_);
    std::unique_ptr<Workload> previous;
    FileSystem left;
    for (int session = 0; session < plan_.session_count; session++) {
      lay(root_ / "live", left);
      auto workload = std::make_unique<Workload>(plan_, root_ / "live", left, previous.get());
      workload->run(result_);
      left = cutPower(*workload, plan_.state_count * (session + 1) / plan_.session_count - result_.states);
      previous = std::move(workload);
    }
    fs::remove_all(root_);
  }

 private:
  // Checks `count` states, and returns one of them.
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
      check(power, workload, state, workload.acknowledgedBefore(position), workload.begunBefore(position), position);
      if (index == chosen) result = state;
    }
    return result;
  }

  void check(
    const PowerCut &power, const Workload &workload, const FileSystem &state, uint64_t acknowledged, uint64_t begun,
    size_t position) {
    const fs::path directory = root_ / "crashed";
    std::string circumstance;
    try {
      FileGroup::Settings settings = Workload::settings(plan_);
      lay(directory, state);
      settings.readOnly = random_() % 6 == 0;
      const bool isNested = plan_.nested && !settings.readOnly && random_() % 5 == 0;
      const bool isKill = isNested && random_() % 3 == 0;
      circumstance = settings.readOnly ? " (read-only)" : isKill ? " (after a kill)" : isNested ? " (nested)" : "";
      uint64_t commit;
      if (isKill) {
        commit = checkKill(directory, settings, power, workload, acknowledged, begun);
      } else if (isNested) {
        commit = checkNested(directory, settings, workload, acknowledged, begun);
      } else {
        DirectoryDisk disk(directory);
        commit = recoverAndCompare(disk, settings, workload, acknowledged, begun, random_() % 4 == 0);
      }
      if (settings.readOnly) require(readAll(directory) == state, "a read-only opening changed the files");
      result_.newest += commit == begun;
    } catch (const std::exception &error) {
      fail(std::string(error.what()) + fileOf(error) + circumstance, position);
    }
    result_.states++;
  }

  // The power fails again while the first failure is being recovered from.
  uint64_t checkNested(
    const fs::path &directory, const FileGroup::Settings &settings, const Workload &workload, uint64_t acknowledged,
    uint64_t begun) {
    const FileSystem before = readAll(directory);
    RecordingDisk disk(directory, before, RecordingDisk::Sabotage::none);
    const uint64_t commit = recoverAndCompare(disk, settings, workload, acknowledged, begun, false);
    const std::vector<Operation> operations = disk.take();
    for (int again = 0; again < 3; again++) {
      PowerCut power(disk, plan_.sector_size, plan_.strict);
      const size_t moment = random_() % (operations.size() + 1);
      for (size_t position = 0; position < moment; position++) power.apply(operations[position]);
      lay(directory, power.state(random_, moment ? &operations[moment - 1] : nullptr));
      DirectoryDisk second(directory);
      const uint64_t recovered = recoverAndCompare(second, settings, workload, acknowledged, begun, false);
      require(recovered == commit, "a second recovery found another commit than the first");
      result_.nested_states++;
    }
    return commit;
  }

  // The process is killed, and the power fails while that is being recovered from: what was not flushed may go then.
  uint64_t checkKill(
    const fs::path &directory, const FileGroup::Settings &settings, const PowerCut &power, const Workload &workload,
    uint64_t acknowledged, uint64_t begun) {
    lay(directory, power.killed());
    RecordingDisk disk(directory, power.names(), power.nextInode());
    const uint64_t commit = recoverAndCompare(disk, settings, workload, acknowledged, begun, false);
    const std::vector<Operation> operations = disk.take();
    for (int again = 0; again < 3; again++) {
      PowerCut second = power;
      const size_t moment = random_() % (operations.size() + 1);
      for (size_t position = 0; position < moment; position++) second.apply(operations[position]);
      lay(directory, second.state(random_, moment ? &operations[moment - 1] : nullptr));
      DirectoryDisk left(directory);
      const uint64_t recovered = recoverAndCompare(left, settings, workload, acknowledged, begun, false);
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
  power_failure_result &result_;
  const fs::path root_;
  std::mt19937_64 random_;
};

}  // namespace

}  // namespace todana::simulation

bool power_failure_run(const power_failure_plan *plan, power_failure_result *result) {
  *result = {};
  try {
    todana::simulation::Simulation(*plan, *result).run();
    return true;
  } catch (const std::exception &error) {
    std::snprintf(result->first_failure, sizeof result->first_failure, "seed %llu: %s",
                  static_cast<unsigned long long>(plan->seed), error.what());
    return false;
  }
}
