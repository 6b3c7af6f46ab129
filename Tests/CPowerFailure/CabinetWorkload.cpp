#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "../../Sources/CKyotoCabinet/Cabinet/BatchCommit.h"
#include "../../Sources/CKyotoCabinet/Cabinet/Session.h"
#include "../../Sources/CKyotoCabinet/Checksum.h"
#include "../../Sources/CKyotoCabinet/Failure.h"
#include "../../Sources/CKyotoCabinet/Snapshots/HashScan.h"
#include "../../Sources/CKyotoCabinet/Snapshots/TreeScan.h"
#include "Files.h"
#include "Workload.h"

namespace todana::simulation {

namespace {

// What the structures hold, in short: the same for the same records, in whatever order.
struct Digest {
  uint64_t count = 0;
  uint64_t sum = 0;

  void add(uint64_t record) { count++, sum += record; }
  void remove(uint64_t record) { count--, sum -= record; }
  bool operator==(const Digest &other) const { return count == other.count && sum == other.sum; }
};

using State = std::map<std::string, Digest>;  // by the structures' names; those that hold nothing are left out

uint64_t hashOf(std::string_view key, std::string_view value) {
  return checksum(value.data(), value.size(), checksum(key.data(), key.size(), 7));
}

std::string rowKey(uint64_t row) {
  std::string key(8, 0);
  for (int index = 0; index < 8; index++) key[index] = static_cast<char>(row >> (56 - 8 * index));
  return key;
}

uint64_t rowOf(const std::string &key) {
  uint64_t row = 0;
  for (char byte : key) row = row << 8 | static_cast<uint8_t>(byte);
  return row;
}

// A batch of changes, in the order that a cabinet wants.
struct Changes {
  struct Change {
    bool isPut;
    std::string value;
    bool mustBeAbsent = false;
  };
  struct ByLength {
    bool operator()(const std::string &left, const std::string &right) const {
      return left.size() != right.size() ? left.size() < right.size() : left < right;
    }
  };

  void put(uint32_t structure, const std::string &key, std::string value) {
    ofStructures[structure][key] = {true, std::move(value)};
  }
  void remove(uint32_t structure, const std::string &key) { ofStructures[structure][key] = {false, {}}; }

  std::map<uint32_t, std::map<std::string, Change, ByLength>> ofStructures;
};

std::shared_ptr<const KeyRing> makeRing() {
  return std::make_shared<const KeyRing>(StoreID(), DataCipher::aes128, newGeneration(1));
}

class CabinetWorkload final : public Workload {
 public:
  CabinetWorkload(
    const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
    const CabinetWorkload *previous)
      : Workload(plan, directory, initial, previous), directory_(directory) {
    if (plan.encrypted) ring_ = previous ? previous->ring_ : makeRing();
    if (previous) {
      commits_ = previous->commits_;
    } else if (plan.seed % 5 == 0) {
      growthStepsLeft_ = 4;
    }
  }

  ~CabinetWorkload() override {
    if (compaction_.joinable()) compaction_.join();
  }

  void run(power_failure_result &result) override {
    FileGroup::Report report;
    session_ = std::make_unique<Session>(disk_, options(false), ring_, false, report);
    // What came after the power failure is gone, and what came before is durable.
    State state = commits_.empty() ? State() : stateOf(report.commitNumber);
    commits_.clear();
    commits_.push_back({report.commitNumber, 0, 0, std::move(state)});
    readContents();
    for (int index = 0; index < plan_.commit_count; index++) step();
    endCompaction();
    const tdn_statistics statistics = session_->statistics();
    result.commits += static_cast<int64_t>(statistics.commits);
    result.checkpoints += static_cast<int64_t>(statistics.checkpoints);
    result.compactions += static_cast<int64_t>(statistics.compactions);
    result.growths += static_cast<int64_t>(statistics.growths);
    result.direct_commits += statistics.direct_bytes > 0;
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

  // Rebuilding a file makes commits of its own, whose number may be anything below that of the next one here.
  uint64_t newestBefore(size_t operation) const override {
    for (const Commit &commit : commits_) {
      if (commit.begunAt > operation) return commit.number - 1;
    }
    return UINT64_MAX;
  }

  uint64_t recoverAndCompare(
    Disk &disk, bool isReadOnly, uint64_t acknowledged, uint64_t newest, bool goesOn) const override {
    FileGroup::Report report;
    auto session = std::make_unique<Session>(disk, options(isReadOnly), ring_, false, report);
    const uint64_t commit = report.commitNumber;
    require(commit >= acknowledged, "commit " + std::to_string(acknowledged) + " was acknowledged, but only " +
                                      std::to_string(commit) + " is left");
    require(commit <= newest, "commit " + std::to_string(commit) + " is there, but only " + std::to_string(newest) +
                                " had begun");
    State expected = stateOf(commit);
    requireState(*session, expected, commit);
    require(session->statesAreConsistent(), "the states do not belong to the other files");
    if (!goesOn || isReadOnly) return commit;
    // The recovered cabinet works: a commit, compaction, and what is there after closing and opening.
    Changes changes;
    const std::string key = "after";
    const uint32_t structure = session->table().structure(TDN_STRUCTURE_KEYS, "recovered").id;
    const std::string value(3000, 'x');
    changes.put(structure, key, value);
    commitChanges(*session, changes, FileGroup::Durability::full);
    expected["recovered"].add(hashOf(keyInFile(TDN_STRUCTURE_KEYS, key), value));
    for (const Session::StructureInfo &info : session->structures()) {
      session->compact(info.id, [](uint64_t, uint64_t) { return true; });
    }
    session->close();
    session.reset();
    FileGroup::Report again;
    session = std::make_unique<Session>(disk, options(false), ring_, false, again);
    require(again.recoveredCommits == 0, "a clean close left something to recover");
    requireState(*session, expected, again.commitNumber);
    return commit;
  }

  // A copy of the files recovers to the commit that it was made of.
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
    size_t begunAt;         // operations
    size_t acknowledgedAt;  // SIZE_MAX: never, as durable
    State state;
  };
  struct Contents {
    uint32_t id;
    int32_t kind;
    std::map<std::string, uint64_t> records;  // hashes by keys
  };

  tdn_options options(bool isReadOnly) const {
    tdn_options options;
    tdn_options_init(&options);
    options.access = isReadOnly ? TDN_ACCESS_READ : TDN_ACCESS_WRITE;
    options.sector_size = plan_.sector_size;
    options.strict = plan_.strict;
    options.direct_threshold = 64 << 10;
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

  // In an encrypted store the file does not tell names; those of the workload's records begin with them.
  bool hidesNames(int32_t kind) const { return ring_ && kind == TDN_STRUCTURE_KEYS; }

  std::string keyInFile(int32_t kind, const std::string &key) const {
    if (!hidesNames(kind)) return key;
    const KeyRing::NameKey hidden = ring_->nameKey(1, {key.data(), key.size()});
    return std::string(hidden.begin(), hidden.end());
  }

  // MARK: Reading

  static void requireState(Session &session, const State &expected, uint64_t commit) {
    State found;
    for (const Session::StructureInfo &info : session.structures()) {
      Digest digest;
      scan(session, info, [&](const std::string &key, std::string_view value) { digest.add(hashOf(key, value)); });
      require(session.count(info.id) == digest.count, info.name + " counts other records than it has");
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

  static void scan(
    Session &session, const Session::StructureInfo &info,
    const std::function<void(const std::string &, std::string_view)> &visit) {
    const std::shared_ptr<Snapshot> snapshot = session.openSnapshot();
    const bool isTree = info.kind == TDN_STRUCTURE_TREE;
    SnapshotPart &part = session.snapshotPart(*snapshot, session.structure(info.id, isTree));
    HashScan hashScan(*snapshot, part, info.kind == TDN_STRUCTURE_ROWS);
    TreeScan treeScan(*snapshot, part, {});
    std::vector<uint8_t> memory(256 << 10);
    std::vector<tdn_slice> slices(1000);
    for (;;) {
      tdn_chunk chunk{};
      chunk.bytes = memory.data();
      chunk.byte_capacity = memory.size();
      chunk.slices = slices.data();
      chunk.slice_capacity = slices.size();
      ChunkWriter writer(chunk);
      for (bool goesOn = true; goesOn;) {
        FileGroup::ReadLock lock(session.group());
        goesOn = isTree ? treeScan.step(writer) : hashScan.step(writer);
      }
      if (chunk.slice_count == 0) return;
      for (size_t index = 0; index < chunk.slice_count; index++) {
        const tdn_slice &slice = slices[index];
        require(slice.status == TDN_FOUND, "a record of " + info.name + " is damaged");
        const char *value = reinterpret_cast<const char *>(memory.data()) + slice.offset;
        const bool isRow = info.kind == TDN_STRUCTURE_ROWS;
        visit(isRow ? rowKey(slice.row) : std::string(value - slice.key_length, slice.key_length),
              {value, slice.length});
      }
    }
  }

  void readContents() {
    for (const Session::StructureInfo &info : session_->structures()) {
      Contents &contents = contents_[info.name];
      contents.id = info.id;
      contents.kind = info.kind;
      scan(*session_, info, [&](const std::string &key, std::string_view value) {
        const std::string name =
          hidesNames(info.kind) ? std::string(value.substr(1, static_cast<uint8_t>(value[0]))) : key;
        contents.records[name] = hashOf(key, value);
      });
    }
  }

  // MARK: Changing

  void step() {
    if (random_() % 3 == 0) endCompaction();
    if (random_() % 4 == 0) beginCompaction();
    Changes changes;
    std::map<std::string, Contents> before = contents_;
    State state = commits_.back().state;
    const size_t touched = 1 + random_() % 3;
    for (size_t count = 0; count < touched; count++) change(changes, state);
    if (growthStepsLeft_ > 0) {
      // In the end twice as many as the file was made for.
      growthStepsLeft_--;
      addNew(changes, contentsOf(TDN_STRUCTURE_KEYS, "many"), state["many"], 2200);
    }
    const bool conflicts = random_() % 10 == 0 && addConflict(changes);
    const FileGroup::Durability durability = anyDurability();
    const size_t begun = disk_.operationCount();
    try {
      const uint64_t number = commitChanges(*session_, changes, durability);
      require(!conflicts, "a commit has overlooked a conflict");
      if (number == commits_.back().number) return;
      commits_.push_back({number, begun, durability == FileGroup::Durability::full ? disk_.operationCount() : SIZE_MAX, std::move(state)});
    } catch (const Conflict &) {
      require(conflicts, "a commit has found a conflict where there is none");
      contents_ = std::move(before);
    }
    if (!plan_.in_background && random_() % 8 == 0) session_->group().checkpoint();
    if (random_() % 12 == 0) copyFiles();
  }

  void change(Changes &changes, State &state) {
    static const struct {
      const char *name;
      int32_t kind;
    } kinds[] = {{"songs", TDN_STRUCTURE_ROWS}, {"albums", TDN_STRUCTURE_ROWS}, {"names", TDN_STRUCTURE_KEYS},
                 {"by-title", TDN_STRUCTURE_TREE}, {"by-year", TDN_STRUCTURE_TREE}};
    const auto &kind = kinds[random_() % std::size(kinds)];
    Contents &contents = contentsOf(kind.kind, kind.name);
    Digest &digest = state[kind.name];
    const uint64_t choice = random_() % 10;
    if (choice < 2 && contents.records.size() > 200) {
      // So many that compacting is worth it.
      std::vector<std::string> keys;
      for (const auto &[key, hash] : contents.records) {
        if (random_() % 3) keys.push_back(key);
      }
      for (const std::string &key : keys) remove(changes, contents, digest, key);
    } else if (choice < 4) {
      addNew(changes, contents, digest, 100 + random_() % 500);
    } else {
      addNew(changes, contents, digest, 1 + random_() % 12);
      for (uint64_t count = random_() % 8; count > 0 && !contents.records.empty(); count--) {
        const std::string key = anyKey(contents);
        if (random_() % 3) {
          put(changes, contents, digest, key);
        } else {
          remove(changes, contents, digest, key);
        }
      }
    }
  }

  Contents &contentsOf(int32_t kind, const char *name) {
    Contents &contents = contents_[name];
    contents.id = session_->table().structure(kind, name).id;
    contents.kind = kind;
    return contents;
  }

  void addNew(Changes &changes, Contents &contents, Digest &digest, uint64_t count) {
    const bool hasRows = contents.kind == TDN_STRUCTURE_ROWS;
    const uint64_t firstRow = hasRows ? session_->reserveRows(contents.id, count) : 0;
    for (uint64_t index = 0; index < count; index++) {
      put(changes, contents, digest, hasRows ? rowKey(firstRow + index) : bytes(3 + random_() % 20));
    }
  }

  void put(Changes &changes, Contents &contents, Digest &digest, const std::string &key) {
    const bool isLong = random_() % 300 == 0;
    std::string value = bytes(isLong ? 2000 + random_() % 20'000 : 1 + random_() % 60);
    if (hidesNames(contents.kind)) value.insert(0, std::string(1, static_cast<char>(key.size())) + key);
    forget(contents, digest, key);
    const uint64_t hash = hashOf(keyInFile(contents.kind, key), value);
    contents.records[key] = hash;
    digest.add(hash);
    changes.put(contents.id, key, std::move(value));
  }

  void remove(Changes &changes, Contents &contents, Digest &digest, const std::string &key) {
    auto &batch = changes.ofStructures[contents.id];
    auto found = batch.find(key);
    forget(contents, digest, key);
    // What this batch put, it cannot remove.
    if (found != batch.end()) {
      batch.erase(found);
      if (!wasThere(contents.id, key)) return;
    }
    changes.remove(contents.id, key);
  }

  bool wasThere(uint32_t structure, const std::string &key) {
    std::vector<uint8_t> memory(64 << 10);
    tdn_slice slice{};
    tdn_chunk chunk{};
    chunk.bytes = memory.data();
    chunk.byte_capacity = memory.size();
    chunk.slices = &slice;
    chunk.slice_capacity = 1;
    ChunkWriter writer(chunk);
    const bool hasRows = std::any_of(contents_.begin(), contents_.end(), [&](const auto &entry) {
      return entry.second.id == structure && entry.second.kind == TDN_STRUCTURE_ROWS;
    });
    if (hasRows) {
      const uint64_t row = rowOf(key);
      session_->getRows(nullptr, structure, &row, 1, writer);
    } else {
      session_->getKey(nullptr, structure, key, writer);
    }
    return slice.status == TDN_FOUND;
  }

  static void forget(Contents &contents, Digest &digest, const std::string &key) {
    auto found = contents.records.find(key);
    if (found == contents.records.end()) return;
    digest.remove(found->second);
    contents.records.erase(found);
  }

  std::string anyKey(const Contents &contents) {
    auto found = contents.records.lower_bound(bytes(contents.kind == TDN_STRUCTURE_ROWS ? 1 : 4));
    if (contents.kind == TDN_STRUCTURE_ROWS) {
      const uint64_t last = rowOf(contents.records.rbegin()->first);
      found = contents.records.lower_bound(rowKey(random_() % (last + 1)));
    }
    return found == contents.records.end() ? contents.records.rbegin()->first : found->first;
  }

  bool addConflict(Changes &changes) {
    for (const auto &[name, contents] : contents_) {
      if (contents.records.empty()) continue;
      const std::string &key = contents.records.begin()->first;
      if (changes.ofStructures[contents.id].count(key) || !wasThere(contents.id, key)) continue;
      changes.ofStructures[contents.id][key] = {true, "x", true};
      return true;
    }
    return false;
  }

  uint64_t commitChanges(Session &session, const Changes &changes, FileGroup::Durability durability) const {
    std::map<uint32_t, bool> haveRows;
    for (const Session::StructureInfo &info : session.structures()) haveRows[info.id] = info.kind == TDN_STRUCTURE_ROWS;
    std::vector<tdn_change> list;
    std::string bytes;
    for (const auto &[structure, ofStructure] : changes.ofStructures) {
      for (const auto &[key, change] : ofStructure) {
        tdn_change entry{};
        entry.structure = structure;
        entry.kind = change.isPut ? TDN_PUT : TDN_REMOVE;
        entry.expectation = change.mustBeAbsent ? TDN_EXPECT_ABSENT : TDN_EXPECT_ANY;
        if (haveRows[structure]) {
          entry.key = rowOf(key);
        } else {
          entry.key = bytes.size();
          entry.key_length = static_cast<uint16_t>(key.size());
          bytes += key;
        }
        entry.value = bytes.size();
        entry.value_length = change.value.size();
        bytes += change.value;
        list.push_back(entry);
      }
    }
    tdn_batch batch{};
    static std::atomic<uint64_t> nextBatch{1};
    const uint64_t id = nextBatch++;
    std::memcpy(batch.id, &id, sizeof id);
    batch.changes = list.data();
    batch.change_count = list.size();
    batch.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
    batch.byte_count = bytes.size();
    std::vector<uint64_t> conflicts;
    return session.commit(batch, durability, conflicts);
  }

  // MARK: Beside commits

  void beginCompaction() {
    if (compaction_.joinable() || contents_.empty()) return;
    auto chosen = contents_.begin();
    std::advance(chosen, random_() % contents_.size());
    const uint32_t structure = chosen->second.id;
    const bool isGivenUp = random_() % 4 == 0;
    compaction_ = std::thread([this, structure, isGivenUp] {
      try {
        session_->compact(structure, [isGivenUp, steps = 0](uint64_t, uint64_t) mutable {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          return !isGivenUp || ++steps < 3;
        });
      } catch (const std::exception &) {
        compactionFailure_ = std::current_exception();
      }
    });
    // Sometimes it is to be over before anything else happens.
    if (random_() % 3 == 0) endCompaction();
  }

  void endCompaction() {
    if (compaction_.joinable()) compaction_.join();
    if (compactionFailure_) std::rethrow_exception(std::exchange(compactionFailure_, nullptr));
  }

  // As a backup does.
  void copyFiles() {
    const FileGroup::BackupPlan plan = session_->group().planBackup([](const std::string &) { return true; });
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
  std::shared_ptr<const KeyRing> ring_;
  std::unique_ptr<Session> session_;
  std::map<std::string, Contents> contents_;
  std::vector<Commit> commits_;
  std::vector<std::pair<uint64_t, FileSystem>> copies_;
  std::thread compaction_;
  std::exception_ptr compactionFailure_;
  int growthStepsLeft_ = 0;
};

}  // namespace

std::unique_ptr<Workload> makeCabinetWorkload(
  const power_failure_plan &plan, const std::filesystem::path &directory, const FileSystem &initial,
  const Workload *previous) {
  return std::make_unique<CabinetWorkload>(plan, directory, initial, static_cast<const CabinetWorkload *>(previous));
}

}  // namespace todana::simulation
