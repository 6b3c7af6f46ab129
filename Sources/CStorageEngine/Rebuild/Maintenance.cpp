#include "Maintenance.h"

#include <algorithm>

#include "InPlaceCompaction.h"
#include "TreeJoining.h"

namespace todana {

namespace {

constexpr uint64_t kGrowthFactor = 4;
constexpr auto kRetryDelay = std::chrono::seconds(60);
// The disk space for a rebuild besides the copy: the log of concurrent changes.
constexpr uint64_t kRoomForLogs = 16 << 20;

// Tests whether the difference exceeds a twentieth and a page.
bool isMuchLess(uint64_t byteCount, uint64_t than) { return byteCount + byteCount / 20 + kPageSize < than; }

}  // namespace

uint64_t Maintenance::tightBucketCount(uint64_t recordCount, uint64_t rowCount, const HashFile &file) {
  const uint64_t bucketCount = static_cast<uint64_t>(file.bucketCount());
  return static_cast<uint64_t>(
    HashFile::bucketCountAtLeast(std::max(recordCount + recordCount / 2, std::min(rowCount / 8, bucketCount))));
}

void Maintenance::request(Keyspace &keyspace) {
  MutexLock lock(mutex_);
  if (isStopping_ || std::find(waiting_.begin(), waiting_.end(), &keyspace) != waiting_.end()) return;
  auto retry = retryTimes_.find(keyspace.id);
  if (retry != retryTimes_.end() && std::chrono::steady_clock::now() < retry->second) return;
  // The requesting commit is complete already. If memory or threads are short, the next commit requests again.
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    waiting_.push_back(&keyspace);
  } catch (const std::exception &) {
    return;
  }
  wake_.notifyOne();
}

void Maintenance::stop() {
  std::thread thread;
  {
    MutexLock lock(mutex_);
    isStopping_ = true;
    thread = std::move(thread_);
    wake_.notifyOne();
  }
  if (thread.joinable()) thread.join();
}

void Maintenance::run() {
  for (;;) {
    Keyspace *keyspace;
    {
      MutexLock lock(mutex_);
      while (!isStopping_ && waiting_.empty()) wake_.wait(mutex_);
      if (isStopping_) return;
      keyspace = waiting_.front();
      waiting_.pop_front();
    }
    try {
      lookAt(*keyspace);
    } catch (const Rebuilding::Abandoned &) {
    } catch (const std::exception &) {
      // The keyspace stays in its file, a little slower or larger. A commit after the delay tries again.
      MutexLock lock(mutex_);
      retryTimes_[keyspace->id] = std::chrono::steady_clock::now() + kRetryDelay;
    }
  }
}

void Maintenance::lookAt(Keyspace &keyspace) {
  MutexLock oneAtATime(rebuildingMutex_);
  std::shared_ptr<const HashFile> file = currentFile(keyspace);
  if (!file) return;
  bool isTooSmall;
  uint64_t rowCount;
  {
    FileGroup::ReadLock lock(state_.group);
    if (!keyspace.needsMaintenance(*file)) return;
    isTooSmall = keyspace.isCrowded(*file);
    rowCount = file->rowCount();
  }
  Rebuilding rebuilding(state_, keyspace, file, [this](uint64_t, uint64_t) {
    return !isStopping_ && pauseCount_ == 0;
  });
  rebuilding.survey();
  if (isTooSmall) {
    const uint64_t buckets = std::max(
      kGrowthFactor * static_cast<uint64_t>(file->bucketCount()), rebuilding.recordCount() * 3 / 2);
    runInBackground(rebuilding, buckets);
    growthCount_++;
  } else if (Keyspace::wastesSpace(
               static_cast<double>(rebuilding.usedBytes()), static_cast<double>(rebuilding.neededBytes()))) {
    const uint64_t buckets = tightBucketCount(rebuilding.recordCount(), rowCount, *file);
    runInBackground(rebuilding, buckets);
    compactionCount_++;
  } else {
    // The file is larger because its content has grown.
    FileGroup::ReadLock lock(state_.group);
    keyspace.noteNeed(rebuilding.neededBytes(), *file);
  }
}

// Builds a copy unless the disk has too little room: a copy that fails halfway would take the space that commits need.
void Maintenance::runInBackground(Rebuilding &rebuilding, uint64_t bucketCount) {
  const uint64_t copyBytes = rebuilding.neededBytes() + bucketCount * kAddressSize;
  rebuilding.requireRoom(static_cast<int64_t>(roomForCopy(copyBytes) + std::min(copyBytes, kRoomForLogs)));
  rebuilding.run(bucketCount);
}

uint64_t Maintenance::room() { return static_cast<uint64_t>(std::max<int64_t>(0, state_.group.room())); }

// Returns the maximum disk space that a copy takes while it is built.
uint64_t Maintenance::roomForCopy(uint64_t copyBytes) {
  return copyBytes + static_cast<uint64_t>(DataFile::buildingStep(static_cast<int64_t>(copyBytes)));
}

bool Maintenance::compact(Keyspace &keyspace, const Rebuilding::Progress &progress) {
  MutexLock oneAtATime(rebuildingMutex_);
  const Rebuilding::Progress step = [&](uint64_t done, uint64_t total) { return !isStopping_ && progress(done, total); };
  bool isCompacted = false;
  try {
    for (bool isJoined = false; !isJoined;) {
      const std::shared_ptr<const HashFile> file = currentFile(keyspace);
      if (!file) break;
      isJoined = !keyspace.isTree() || joinLeaves(TreeJoining(state_, keyspace, file, step));
      if (!compact(keyspace, file, step)) break;
      isCompacted = true;
    }
  } catch (const Rebuilding::Abandoned &) {
    return false;
  }
  if (isCompacted) compactionCount_++;
  return isCompacted;
}

// Joins leaves. Returns false if the disk lacks room to join all: the compaction of the file makes room for the others.
bool Maintenance::joinLeaves(TreeJoining &&joining) {
  try {
    joining.run();
    return true;
  } catch (const Failure &failure) {
    if (failure.code != TDN_NO_SPACE) throw;
    return false;
  }
}

// Rebuilds the file, or compacts it in place if the disk has no room for a copy. Returns false if it would not become
// much shorter.
bool Maintenance::compact(
  Keyspace &keyspace, const std::shared_ptr<const HashFile> &file, const Rebuilding::Progress &step) {
  auto rebuilding = std::make_unique<Rebuilding>(state_, keyspace, file, step);
  rebuilding->survey();
  uint64_t rowCount;
  {
    FileGroup::ReadLock lock(state_.group);
    rowCount = file->rowCount();
  }
  const uint64_t buckets = static_cast<uint64_t>(file->bucketCount());
  const uint64_t wanted = tightBucketCount(rebuilding->recordCount(), rowCount, *file);
  const uint64_t shortest = rebuilding->neededBytes() + wanted * kAddressSize;
  if (!isMuchLess(shortest, rebuilding->usedBytes() + buckets * kAddressSize)) return false;
  if (hasRoomToRebuild(shortest, *rebuilding) && runIfRoom(*rebuilding, wanted)) return true;
  if (!isMuchLess(rebuilding->liveBytes(), rebuilding->usedBytes())) return false;
  rebuilding = nullptr;  // commits no longer need to note their changes
  // The survey counts as the first quarter of the progress.
  InPlaceCompaction(state_, keyspace, file, [&](uint64_t done, uint64_t total) {
    return step(total / 4 + done / 4 * 3, total);
  }).run();
  return true;
}

// Rebuilds a file. Returns false if other commits have used up the free space of the disk.
bool Maintenance::runIfRoom(Rebuilding &rebuilding, uint64_t bucketCount) {
  try {
    rebuilding.run(bucketCount);
    return true;
  } catch (const Failure &failure) {
    if (failure.code != TDN_NO_SPACE) throw;
    return false;
  }
}

// Tests whether to build a copy. One that exceeds the permitted room is built only if it packs small rows much tighter,
// and the disk has room for two copies.
bool Maintenance::hasRoomToRebuild(uint64_t copyBytes, const Rebuilding &surveyed) {
  const uint64_t room = this->room();
  const uint64_t wanted = roomForCopy(copyBytes) + kRoomForLogs;
  const uint64_t permitted = std::max(static_cast<uint64_t>(compactionRoom_), surveyed.usedBytes() / 20);
  const bool packsMuch = surveyed.neededBytes() + surveyed.neededBytes() / 4 < surveyed.liveBytes();
  return (wanted <= permitted && wanted <= room) || (packsMuch && wanted <= room / 2);
}

Maintenance::Pause::Pause(Maintenance &maintenance) : maintenance_(maintenance) {
  maintenance.pauseCount_++;
  MutexLock wait(maintenance.rebuildingMutex_);
}

void Maintenance::compactAll(bool always) {
  if (removals_ < (always ? 1 : removalsWanted_.load())) return;
  removals_ = 0;
  bool isAnyCompacted = false;
  for (Keyspace *keyspace : state_.table.all()) {
    if (keyspace->fileNumber == 0 || keyspace->isDropped) continue;
    try {
      isAnyCompacted |= compact(*keyspace, [](uint64_t, uint64_t) { return true; });
    } catch (const Failure &failure) {
      // Another file may make room.
      if (failure.code != TDN_NO_SPACE && failure.code != TDN_DAMAGED) throw;
    }
  }
  removalsWanted_ = isAnyCompacted ? 1 : 2 * removalsWanted_;
}

void Maintenance::convert(
  Keyspace &keyspace, const Rebuilding::Progress &progress, const Rebuilding::Conversion &conversion) {
  MutexLock oneAtATime(rebuildingMutex_);
  std::shared_ptr<const HashFile> file = currentFile(keyspace);
  if (!file) throw Rebuilding::Abandoned();
  Rebuilding rebuilding(
    state_, keyspace, file, [&](uint64_t done, uint64_t total) { return !isStopping_ && progress(done, total); },
    conversion);
  rebuilding.survey();
  uint64_t rowCount;
  {
    FileGroup::ReadLock lock(state_.group);
    rowCount = file->rowCount();
  }
  const uint64_t buckets = tightBucketCount(rebuilding.recordCount(), rowCount, *file);
  rebuilding.requireRoom(static_cast<int64_t>(roomForCopy(rebuilding.neededBytes() + buckets * kAddressSize)));
  rebuilding.run(buckets);
}

std::shared_ptr<const HashFile> Maintenance::currentFile(Keyspace &keyspace) {
  std::shared_ptr<const HashFile> file = state_.table.file(keyspace);
  if (!file) return nullptr;
  FileGroup::ReadLock lock(state_.group);
  return keyspace.fileNumber == file->number() ? file : nullptr;
}

}  // namespace todana
