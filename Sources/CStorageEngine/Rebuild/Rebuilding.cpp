#include "Rebuilding.h"

#include <algorithm>

#include "../Kyoto/TreeReader.h"
#include "RandomID.h"

namespace todana {

namespace {

// The number of changes left for the last round, during which all other threads wait.
constexpr size_t kLastRound = 50;
// The disk space that a copy leaves for commits, besides the next step of its own growth.
constexpr int64_t kRoomForCommits = 512 << 10;

}  // namespace

Rebuilding::Rebuilding(
  CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress)
    : Rebuilding(state, keyspace, std::move(from), std::move(progress), nullptr) {}

Rebuilding::Rebuilding(
  CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress,
  const Conversion &conversion)
    : Rebuilding(state, keyspace, std::move(from), std::move(progress), &conversion) {}

Rebuilding::Rebuilding(
  CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress,
  const Conversion *conversion)
    : state_(state), keyspace_(keyspace), from_(std::move(from)), progress_(std::move(progress)),
      conversion_(conversion) {
  FileGroup::ReadLock lock(state_.group);
  if (keyspace_.fileNumber != from_->number()) throw Abandoned();
  rebuildSource_ = RebuildSource::make(from_, keyspace_, conversion ? &conversion->records : nullptr);
  keyspace_.journal = &journal_;
  isNoted_ = true;
}

Rebuilding::~Rebuilding() {
  if (!isNoted_) return;
  // Commits must not write to a destroyed journal. Taking the lock fails if the session has ended.
  try {
    FileGroup::ReadLock lock(state_.group);
    keyspace_.journal = nullptr;
  } catch (const Failure &) {
    keyspace_.journal = nullptr;
  }
}

void Rebuilding::survey() {
  for (bool hasMore = true; hasMore;) {
    step();
    {
      FileGroup::ReadLock lock(state_.group);
      hasMore = rebuildSource_->survey();
    }
    rebuildSource_->sortOut(!hasMore);
  }
}

void Rebuilding::run(uint64_t bucketCount) {
  create(bucketCount);
  for (bool hasMore = true; hasMore;) {
    step();
    {
      FileGroup::ReadLock lock(state_.group);
      hasMore = rebuildSource_->take();
    }
    writeStep();
  }
  writeBackAllChanges();
  writer_.end(0);
  state_.group.sealBuildingFile(target_->file());
  writer_.begin(*target_, pool_);
  // Flushing took a while, in which commits made changes. The next round is quicker.
  writeBackAllChanges();
  switchOver();
}

void Rebuilding::create(uint64_t bucketCount) {
  const uint32_t number = state_.table.takeFileNumber();
  HashFile::Shape shape;
  if (keyspace_.isTree()) {
    shape = TreeReader::shape(state_.table.sealers(keyspace_, isSealed()), 0);
    bucketCount = std::min(bucketCount, TreeReader::kMostBuckets);
  }
  shape.bucketCount = HashFile::bucketCountAtLeast(bucketCount);
  target_ = HashFile::create(
    state_.group.createBuildingFile(number, state_.table.fileName(keyspace_, number, isSealed())),
    keyspace_.id, shape);
  writer_.begin(*target_, pool_);
}

// Copies changes until few are left, or until they arrive as fast as they are copied.
void Rebuilding::writeBackAllChanges() {
  size_t last = SIZE_MAX;
  for (size_t count = writeBackChanges(); count > kLastRound && count < last / 2; count = writeBackChanges()) last = count;
}

// Copies the records that commits have changed since the last call. Returns their number.
size_t Rebuilding::writeBackChanges() {
  RebuildJournal changes;
  {
    FileGroup::ReadLock lock(state_.group);
    std::swap(changes, journal_);
  }
  const size_t count = rebuildSource_->change(std::move(changes));
  for (bool hasMore = count > 0; hasMore;) {
    step();
    {
      FileGroup::ReadLock lock(state_.group);
      hasMore = rebuildSource_->takeChanged();
    }
    writeStep();
  }
  return count;
}

void Rebuilding::switchOver() {
  Commit commit(state_);
  state_.group.commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      if (keyspace_.fileNumber != from_->number()) throw Abandoned();
      rebuildSource_->change(std::move(journal_));
      for (bool hasMore = true; hasMore;) {
        hasMore = rebuildSource_->takeChanged();
        rebuildSource_->write(*target_, writer_);
      }
      writer_.end(std::max<uint64_t>(from_->nextRow(), keyspace_.nextRow));
      writer_.storePool(*target_, pool_);
      if (target_->rowCount() != from_->rowCount()) {
        from_->damaged("it contains another number of records than its header says", 0);
      }
      state_.group.adoptFile(target_->file());
      commit.snapshotReaders(keyspace_, from_);
      commit.replaceFile(keyspace_, target_, isSealed());
      if (conversion_) {
        commit.setContents(
          keyspace_, {keyspace_.contents.count, conversion_->digest(), conversion_->records.keyGeneration()});
      }
      commit.finish();
      keyspace_.noteNeed(rebuildSource_->byteCount(), *from_);
      keyspace_.journal = nullptr;
      isNoted_ = false;
    },
    [&] {
      commit.undo();
      keyspace_.journal = nullptr;
      isNoted_ = false;
    });
}

void Rebuilding::requireRoom(int64_t byteCount) {
  const int64_t room = std::max<int64_t>(state_.group.room(), 0), needed = byteCount + kRoomForCommits;
  if (room >= needed) return;
  throw Failure(
    TDN_NO_SPACE, "the disk is full: it has " + std::to_string(room >> 10) + " KiB left, and a copy of this file needs " +
                    std::to_string((needed - room + 1023) >> 10) + " KiB more",
    from_->file()->name());
}

// Writes what was taken. Gives up before the copy takes the space that commits need for the write-back of their logs.
void Rebuilding::writeStep() {
  requireRoom(DataFile::buildingStep(target_->file()->size()));
  rebuildSource_->write(*target_, writer_);
}

void Rebuilding::step() {
  if (keyspace_.fileNumber != from_->number()) throw Abandoned();
  const uint64_t total = rebuildSource_->total();
  if (progress_ && !progress_(rebuildSource_->surveyed() / 4 + rebuildSource_->taken() / 4 * 3, total)) throw Abandoned();
}

}  // namespace todana
