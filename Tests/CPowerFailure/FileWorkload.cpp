#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../../Sources/CStorageEngine/Disk/Checksum.h"
#include "../../Sources/CStorageEngine/Pages/FileGroup.h"
#include "Files.h"
#include "RandomBytes.h"
#include "Workload.h"

namespace todana::simulation {

namespace {

struct Abandoned : std::exception {};

// A digest of one file.
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

class FileWorkload final : public Workload {
 public:
  FileWorkload(
    const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
    const FileWorkload *previous)
      : Workload(plan, directory, initial, previous) {
    if (!previous) return;
    states_ = previous->states_;
    nextNumber_ = previous->nextNumber_;
  }

  void run(power_failure_result &result) override {
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
    result.cuts += cutCount_;
    if (random_() % 2) group_->close();
    files_.clear();
    group_.reset();
  }

  static FileGroup::Settings settings(const power_failure_plan &plan) {
    FileGroup::Settings settings;
    settings.sectorSize = plan.sector_size;
    settings.strict = plan.strict;
    settings.directThreshold = 64 << 10;
    // Room for a few commits; strict mode logs whole pages, which fill the log faster.
    const int64_t limit = plan.strict ? 128 << 10 : 32 << 10;
    settings.logLimit = plan.in_background ? limit : 1 << 30;
    return settings;
  }

  uint64_t acknowledgedBefore(size_t operation) const override {
    uint64_t newest = 0;
    for (const auto &[commit, at] : acknowledged_) {
      if (at <= operation) newest = std::max(newest, commit);
    }
    return newest;
  }
  uint64_t newestBefore(size_t operation) const override {
    uint64_t newest = 0;
    for (size_t commit = 0; commit < begunAt_.size(); commit++) {
      if (begunAt_[commit] <= operation) newest = commit;
    }
    return newest;
  }

  uint64_t recoverAndCompare(
    Disk &disk, bool isReadOnly, uint64_t acknowledged, uint64_t newest, bool goesOn) const override {
    FileGroup::Settings settings = this->settings(plan_);
    settings.readOnly = isReadOnly;
    FileGroup::Report report;
    std::unique_ptr<FileGroup> group = FileGroup::open(disk, settings, report);
    const uint64_t commit = report.commitNumber;
    require(commit >= acknowledged, "commit " + std::to_string(acknowledged) + " was acknowledged, but only " +
                                      std::to_string(commit) + " is left");
    require(commit <= newest, "commit " + std::to_string(commit) + " is there, but only " + std::to_string(newest) +
                               " had begun");
    std::vector<uint32_t> numbers;
    for (const auto &[number, expected] : states_[commit]) numbers.push_back(number);
    if (!settings.readOnly) group->keepOnly(numbers);
    std::vector<std::shared_ptr<DataFile>> files;
    for (const auto &[number, expected] : states_[commit]) {
      std::shared_ptr<DataFile> file = group->openFile(number, nameOf(number));
      if (expected.size > 0) file->verify(0, file->size());
      require(digest(file->at(0), file->size()) == expected,
              nameOf(number) + " does not have the content of commit " + std::to_string(commit));
      files.push_back(file);
    }
    if (!goesOn || settings.readOnly || files.empty()) return commit;
    // Tests that the recovered group works: a commit, a checkpoint at close, and the content after reopening.
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

 private:
  struct File {
    std::shared_ptr<DataFile> file;
    std::string content;
  };

  // Opens the files that the previous session left.
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
    const FileGroup::Durability durability = anyDurability();
    const size_t begun = disk_.operationCount();
    uint8_t id[16];
    for (uint8_t &byte : id) byte = static_cast<uint8_t>(random_());
    const uint64_t directBefore = group_->statistics().direct_bytes;
    try {
      const uint64_t number = group_->commit(
        id, durability,
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
      if (durability == FileGroup::Durability::full) acknowledged_.push_back({number, disk_.operationCount()});
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
    content = randomBytes(random_, 1 + random_() % (random_() % 4 == 0 ? 400'000 : 100'000));
    building->write(0, content.data(), content.size());
    if (random_() % 2) writeMore(*building, content);
    group_->sealBuildingFile(building);
    for (uint64_t count = random_() % 4; count > 0; count--) writeMore(*building, content);
  }

  void writeMore(DataFile &building, std::string &content) {
    const std::string more = randomBytes(random_, 1 + random_() % 9000);
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
    const uint32_t cutNumber = building || random_() % 6 != 0 ? 0 : cutAny();
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
      for (size_t write = 0; write < writes; write++) this->write(entry->second, entry->first != cutNumber);
    }
    if (files_.size() > 2 && random_() % 15 == 0) {
      auto entry = files_.begin();
      std::advance(entry, random_() % files_.size());
      if (building && entry->second.file == building) return;
      group_->dropFile(entry->second.file);
      files_.erase(entry);
    }
  }

  // Cuts a file at a page boundary and returns its number, or 0 if the chosen file is too short.
  uint32_t cutAny() {
    if (files_.empty()) return 0;
    auto entry = files_.begin();
    std::advance(entry, random_() % files_.size());
    auto &[number, file] = *entry;
    const int64_t pageCount = (static_cast<int64_t>(file.content.size()) + kPageSize - 1) / kPageSize;
    if (pageCount < 2) return 0;
    const int64_t size = static_cast<int64_t>(random_() % static_cast<uint64_t>(pageCount)) * kPageSize;
    file.file->cut(size);
    file.content.resize(static_cast<size_t>(size));
    cutCount_++;
    return number;
  }

  // Some writes make a commit large, and some of them go to the main file at once.
  size_t anyByteCount() {
    if (random_() % 12 != 0) return 1 + random_() % 700;
    return random_() % 3 == 0 ? 260'000 + random_() % 60'000 : 70'000 + random_() % 90'000;
  }

  void write(File &file, bool mayGrow) {
    std::string text = randomBytes(random_, anyByteCount());
    if (!mayGrow) {
      if (file.content.empty()) return;
      const size_t offset = random_() % file.content.size();
      text.resize(std::min(text.size(), file.content.size() - offset));
      file.content.replace(offset, text.size(), text);
      return file.file->write(static_cast<int64_t>(offset), text.data(), text.size());
    }
    const bool appends = text.size() > 700 || file.content.empty() || random_() % 3 == 0;
    const size_t offset = appends ? file.content.size() : random_() % file.content.size();
    if (file.content.size() < offset + text.size()) file.content.resize(offset + text.size(), 0);
    file.content.replace(offset, text.size(), text);
    file.file->write(static_cast<int64_t>(offset), text.data(), text.size());
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

  std::unique_ptr<FileGroup> group_;
  std::map<uint32_t, File> files_;
  uint32_t nextNumber_ = 1;
  std::vector<State> states_;           // by commit number
  std::vector<size_t> begunAt_;         // operation count when a commit began
  std::vector<std::pair<uint64_t, size_t>> acknowledged_;
  int64_t directCommits_ = 0;
  int64_t cutCount_ = 0;
};

}  // namespace

std::unique_ptr<Workload> makeFileWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous) {
  return std::make_unique<FileWorkload>(plan, directory, initial, static_cast<const FileWorkload *>(previous));
}

}  // namespace todana::simulation
