#include "Growth.h"

#include "../Snapshots/StepLimit.h"
#include "RandomID.h"

namespace todana {

namespace {

constexpr uint64_t kGrowthFactor = 4;
constexpr auto kRetryDelay = std::chrono::seconds(60);
// What is left for the last round, which holds everyone up.
constexpr size_t kLastRoundKeys = 500;
constexpr int kRoundLimit = 20;

// Thrown to leave a rebuilding that is not wanted any more.
struct Abandoned {};

}  // namespace

// The building of one larger file.
class Growth::Rebuilding {
 public:
  Rebuilding(Growth &growth, Structure &structure, std::shared_ptr<const HashFile> from)
      : growth_(growth), state_(growth.state_), structure_(structure), from_(std::move(from)) {}
  ~Rebuilding() {
    if (!isNoted_) return;
    // Commits must not write to the journal once it is gone. The lock may fail where the session is at its end.
    try {
      FileGroup::ReadLock lock(state_.group);
      structure_.journal = nullptr;
    } catch (const Failure &) {
      structure_.journal = nullptr;
    }
  }

  void run() {
    create();
    copyAll();
    for (int round = 0; round < kRoundLimit; round++) {
      if (carryChanges() <= kLastRoundKeys) break;
    }
    if (writer_.current()) writer_.end(0);
    state_.group.flushBuildingFile(target_->file());
    switchOver();
  }

 private:
  void create() {
    uint32_t number = state_.table.takeFileNumber();
    std::shared_ptr<DataFile> building =
      state_.group.createBuildingFile(number, Catalog::fileName(number, structure_.kind, structure_.name));
    HashFile::Shape shape;
    {
      FileGroup::ReadLock lock(state_.group);
      if (structure_.fileNumber != from_->number()) throw Abandoned();
      uint64_t wanted = std::max(kGrowthFactor * static_cast<uint64_t>(from_->bucketCount()), from_->count() * 3 / 2);
      shape.bucketCount = HashFile::bucketCountAtLeast(wanted);
      end_ = from_->end();
      structure_.journal = &journal_;
      isNoted_ = true;
    }
    target_ = HashFile::create(std::move(building), structure_.id, shape);
    writer_.begin(*target_, pool_);
  }

  // Records that move while this goes on are in the journal, whether they were met before or not.
  void copyAll() {
    for (int64_t offset = from_->recordStart(); offset < end_;) {
      readStep(offset);
      writeStep();
    }
  }

  void readStep(int64_t &offset) {
    checkWanted();
    FileGroup::ReadLock lock(state_.group);
    StepLimit limit;
    for (HashBlock block; offset < end_ && !limit.isReached(bytes_.size()); offset += block.size) {
      from_->readBlock(offset, block);
      if (!block.isFree) take(block);
    }
  }

  // Brings over what commits have changed since the last time. Returns how many keys that were.
  size_t carryChanges() {
    std::vector<std::string> keys;
    {
      FileGroup::ReadLock lock(state_.group);
      keys.swap(journal_.keys);
    }
    for (size_t next = 0; next < keys.size();) {
      checkWanted();
      {
        FileGroup::ReadLock lock(state_.group);
        StepLimit limit;
        while (next < keys.size() && !limit.isReached(bytes_.size())) takeCurrent(keys[next++]);
      }
      writeStep();
    }
    return keys.size();
  }

  void switchOver() {
    Commit commit(state_);
    state_.group.commit(
      randomID().data(), FileGroup::Durability::full,
      [&] {
        commit.begin();
        if (growth_.isStopping_ || structure_.fileNumber != from_->number()) throw Abandoned();
        writer_.begin(*target_, pool_);
        for (const std::string &key : journal_.keys) takeCurrent(key);
        writeStep();
        writer_.setPackedRows(from_->packedRows());
        writer_.end(std::max<uint64_t>(from_->nextRow(), structure_.nextRow));
        if (target_->count() != from_->count()) {
          from_->damaged("it holds another number of records than its header says", 0);
        }
        state_.group.adoptFile(target_->file());
        commit.snapshotReaders(structure_, from_);
        commit.replaceFile(structure_, target_);
        commit.finish();
        structure_.journal = nullptr;
        isNoted_ = false;
      },
      [&] {
        commit.undo();
        structure_.journal = nullptr;
        isNoted_ = false;
      });
  }

  void take(const HashBlock &block) {
    from_->verifyKey(block);
    from_->verifyValue(block);
    records_.push_back({bytes_.size(), block.keyLength, block.valueLength, true});
    bytes_.append(block.key, block.keyLength);
    bytes_.append(block.value, block.valueLength);
  }

  void takeCurrent(const std::string &key) {
    HashBlock block;
    if (from_->find(key.data(), key.size(), block)) {
      take(block);
    } else {
      records_.push_back({bytes_.size(), key.size(), 0, false});
      bytes_.append(key);
    }
  }

  // Puts what was taken into the new file. Nobody else knows that file, so no lock is held.
  void writeStep() {
    for (const Taken &taken : records_) {
      const char *key = bytes_.data() + taken.position;
      HashFile::Place place = target_->place(key, taken.keyLength);
      if (taken.exists) {
        writer_.put(key, taken.keyLength, place, key + taken.keyLength, taken.valueLength);
      } else {
        writer_.remove(key, taken.keyLength, place);
      }
    }
    records_.clear();
    bytes_.clear();
  }

  void checkWanted() const {
    if (growth_.isStopping_ || structure_.fileNumber != from_->number()) throw Abandoned();
  }

  struct Taken {
    size_t position;
    size_t keyLength;
    size_t valueLength;
    bool exists;
  };

  Growth &growth_;
  CommitState &state_;
  Structure &structure_;
  const std::shared_ptr<const HashFile> from_;
  std::shared_ptr<const HashFile> target_;
  int64_t end_ = 0;
  GrowthJournal journal_;
  bool isNoted_ = false;
  HashWriter writer_;
  FreeBlockPool pool_;
  std::vector<Taken> records_;
  std::string bytes_;
};

void Growth::request(Structure &structure) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (isStopping_ || std::find(waiting_.begin(), waiting_.end(), &structure) != waiting_.end()) return;
  auto retry = retryTimes_.find(structure.id);
  if (retry != retryTimes_.end() && std::chrono::steady_clock::now() < retry->second) return;
  // What asks is a commit that counts already: where there is no memory or no thread, the next one asks again.
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    waiting_.push_back(&structure);
  } catch (const std::exception &) {
    return;
  }
  wake_.notify_one();
}

void Growth::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isStopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Growth::run() {
  for (;;) {
    Structure *structure;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return isStopping_ || !waiting_.empty(); });
      if (isStopping_) return;
      structure = waiting_.front();
      waiting_.pop_front();
    }
    try {
      grow(*structure);
    } catch (const Abandoned &) {
    } catch (const std::exception &) {
      // The structure goes on in its file, a little slower; the next commit after a while tries again.
      std::lock_guard<std::mutex> lock(mutex_);
      retryTimes_[structure->id] = std::chrono::steady_clock::now() + kRetryDelay;
    }
  }
}

void Growth::grow(Structure &structure) {
  std::shared_ptr<const HashFile> file = state_.table.file(structure);
  if (!file) return;
  {
    FileGroup::ReadLock lock(state_.group);
    if (structure.fileNumber != file->number() ||
        file->count() <= 2 * static_cast<uint64_t>(file->bucketCount())) {
      return;
    }
  }
  Rebuilding(*this, structure, std::move(file)).run();
  growthCount_++;
}

}  // namespace todana
