#include "InPlaceCompaction.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "../Snapshots/StepLimit.h"
#include "RandomID.h"
#include "Rebuilding.h"

namespace todana {

namespace {

// The most bytes moved by one commit, for which readers wait.
constexpr int64_t kMostInStep = 1 << 20;
// The most bytes moved between two checkpoints: each of the two logs takes about as much.
constexpr int64_t kMostBetweenCheckpoints = 8 << 20;
// The least room for compaction, and the bytes moved by one commit in that much room.
constexpr int64_t kLeastRoom = 16 << 10;
constexpr int64_t kLeastInStep = 4 << 10;
// The minimum size of a free block, which must hold its own header.
constexpr int64_t kSmallestBlock = 16;

std::string kibibytes(int64_t byteCount) { return std::to_string((byteCount + 1023) >> 10) + " KiB"; }

}  // namespace

void InPlaceCompaction::run() {
  room_ = state_.group.room();
  if (room_ < 2 * kMostBetweenCheckpoints && state_.group.makeRoom()) room_ = state_.group.room();
  if (room_ < kLeastRoom) {
    throw Failure(
      TDN_NO_SPACE,
      "compacting needs " + kibibytes(kLeastRoom) + " of disk space for its log: free " +
        kibibytes(kLeastRoom - std::max<int64_t>(room_, 0)) + " more",
      file_->file()->name());
  }
  // On an almost full disk, steps are smaller.
  stepBytes_ = std::clamp(room_ / 12, kLeastInStep, kMostInStep);
  checkpointBytes_ = std::min(kMostBetweenCheckpoints, room_ / 4);
  roomBesides_ = std::min<int64_t>(256 << 10, room_ / 8);
  position_ = {file_->recordStart(), file_->recordStart()};
  try {
    while (!isAtEnd_) {
      skipCompact();
      moveSome();
      if (needsCheckpoint_ || unsavedBytes_ >= checkpointBytes_) makeRoom();
    }
    offerGap();
    makeRoom();
  } catch (...) {
    try {
      offerGap();
    } catch (...) {
      // New records then do not use the free block between the positions. The next compaction removes it.
    }
    throw;
  }
  if (failure_) throw *failure_;
}

// Skips records that have no free space before them.
void InPlaceCompaction::skipCompact() {
  for (bool hasMore = true; hasMore && position_.target == position_.source;) {
    step();
    FileGroup::ReadLock lock(state_.group);
    StepLimit limit;
    HashBlock block;
    while (true) {
      hasMore = position_.source < file_->end() && readBlock(position_.source, block) && !block.isFree &&
                block.size - file_->recordSize(block.keyLength, block.valueLength) < kSmallestBlock;
      if (!hasMore) break;
      position_.source += block.size;
      position_.target = position_.source;
      if (limit.isReached(0)) break;
    }
  }
}

void InPlaceCompaction::moveSome() {
  step();
  const Position before = position_;
  while (true) {
    try {
      return commit([&](Commit &commit) {
        // Snapshots of a tree find records by their keys, wherever the nodes are.
        moveRecords(keyspace_.isTree() ? Readers() : commit.snapshotReaders(keyspace_, file_));
      });
    } catch (const Failure &failure) {
      position_ = before;
      if (failure.code != TDN_NO_SPACE) throw;
      if (state_.group.makeRoom()) continue;
      // Other commits have taken the room, or the records have long chains.
      if (stepBytes_ <= kLeastInStep) throw;
      stepBytes_ /= 2;
    } catch (...) {
      position_ = before;
      throw;
    }
  }
}

// Offers the free space between the positions to new records, unless it was cut off.
void InPlaceCompaction::offerGap() {
  if (position_.target < position_.source) {
    commit([&](Commit &) {
      state_.writer.offerFreeBlock(position_.target, position_.source - position_.target);
    });
    position_.target = position_.source;
  }
  FileGroup::ReadLock lock(state_.group);
  keyspace_.noteNeed(static_cast<uint64_t>(file_->end() - file_->recordStart()), *file_);
}

// Runs a checkpoint, so that the space of the logs is used again. Waits for a backup, which delays checkpoints.
void InPlaceCompaction::makeRoom() {
  while (true) {
    const uint64_t before = state_.group.statistics().checkpoints;
    // On an almost full disk, logs are not kept for the next commits.
    if (room_ >= 2 * kMostBetweenCheckpoints || !state_.group.makeRoom()) state_.group.checkpoint();
    const tdn_statistics now = state_.group.statistics();
    if (now.checkpoints != before || now.live_log_bytes == 0) break;
    step();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  unsavedBytes_ = 0;
  needsCheckpoint_ = false;
}

void InPlaceCompaction::step() {
  if (keyspace_.fileNumber != file_->number()) throw Rebuilding::Abandoned();
  int64_t end;
  {
    FileGroup::ReadLock lock(state_.group);
    end = file_->end();
  }
  const int64_t start = file_->recordStart(), total = std::max<int64_t>(end - start, 1);
  const int64_t done = std::min(position_.source - start, total);
  if (!progress_(static_cast<uint64_t>(done), static_cast<uint64_t>(total))) throw Rebuilding::Abandoned();
}

void InPlaceCompaction::commit(const std::function<void(Commit &)> &change) {
  Commit commit(state_);
  state_.group.commit(
    randomID().data(), FileGroup::Durability::bulk,
    [&] {
      commit.begin();
      if (keyspace_.fileNumber != file_->number()) throw Rebuilding::Abandoned();
      commit.touch(keyspace_);
      state_.writer.begin(*file_, keyspace_.pool);
      change(commit);
      state_.writer.end(0);
      commit.finish();
    },
    [&] { commit.undo(); }, DiskRoom::Reserve::none);
}

// MARK: Inside a commit

void InPlaceCompaction::moveRecords(const Readers &readers) {
  HashWriter &writer = state_.writer;
  StepLimit limit;
  std::vector<Gap> gaps;
  const int64_t first = position_.target;
  auto [target, source] = position_;
  int64_t compactedFrom = target, moved = 0;
  isAtEnd_ = false;
  for (HashBlock block; moved < stepBytes_ && !limit.isReached(0);) {
    isAtEnd_ = source >= file_->end() || !readBlock(source, block);
    if (isAtEnd_) break;
    if (block.isFree) {
      source += block.size;
      continue;
    }
    const int64_t size = file_->recordSize(block.keyLength, block.valueLength);
    const bool isCompact = target == source && block.size - size < kSmallestBlock;
    const std::optional<int64_t> link = isCompact ? std::nullopt : linkOfMovable(block);
    if (!link) {
      if (target < source) gaps.push_back({target, source - target});
      noteCompacted(readers, compactedFrom, source);
      source += block.size;
      target = compactedFrom = source;
      continue;
    }
    needsCheckpoint_ = unsavedBytes_ + moved > 0 && unsavedBytes_ + moved + size > logRoom();
    if (needsCheckpoint_) break;
    for (const Commit::Reader &reader : readers) {
      reader.snapshot->keep(*reader.part, {block.key, block.keyLength}, block);
    }
    writer.move(block, *link, target, size);
    target += size;
    source += block.size;
    moved += size;
  }
  noteCompacted(readers, compactedFrom, source);
  writer.withdrawFreeBlocks(first, source);
  for (const Gap &gap : gaps) {
    writer.writeFreeBlock(gap.offset, gap.size);
    writer.offerFreeBlock(gap.offset, gap.size);
  }
  unsavedBytes_ += moved;
  position_ = {target, source};
  if (target == source) return;
  if (source == file_->end() && cut(target, source)) {
    position_ = {file_->end(), file_->end()};
  } else {
    writer.writeFreeBlock(target, source - target);
  }
}

// Cuts off the free space at the end of the file. Returns false if it is less than a page.
bool InPlaceCompaction::cut(int64_t target, int64_t source) {
  int64_t end = pageCeiling(target);
  if (end > target && end - target < kSmallestBlock) end += kPageSize;
  if (end >= source) return false;
  if (end > target) {
    state_.writer.writeFreeBlock(target, end - target);
    state_.writer.offerFreeBlock(target, end - target);
  }
  state_.writer.cut(end);
  return true;
}

// Returns the log space for moved records. Each of the two logs takes the bytes that are moved between two checkpoints.
int64_t InPlaceCompaction::logRoom() const { return room_ / 2 - roomBesides_; }

// Returns the offset of the address that leads to a record. Returns nothing if the record is damaged, or too large to
// be moved.
std::optional<int64_t> InPlaceCompaction::linkOfMovable(const HashBlock &record) {
  try {
    if (record.size > logRoom()) {
      const int64_t wanted = 2 * (record.size + roomBesides_);
      throw Failure(
        TDN_NO_SPACE,
        "a record of " + kibibytes(record.size) + " was not moved, since that needs " + kibibytes(wanted) +
          " of disk space: free " + kibibytes(wanted - room_) + " more",
        file_->file()->name());
    }
    file_->verifyKey(record);
    file_->verifyValue(record);
    return linkTo(record);
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED && failure.code != TDN_NO_SPACE) throw;
    leave(failure);
    return std::nullopt;
  }
}

int64_t InPlaceCompaction::linkTo(const HashBlock &record) const {
  HashBlock found;
  HashFile::ChainEnd chain;
  const bool exists =
    file_->findKey(record.key, record.keyLength, file_->place(record.key, record.keyLength), found, &chain);
  if (!exists || found.offset != record.offset) file_->damaged("no chain leads to a record", record.offset);
  return chain.link;
}

// Returns false if the block's header is damaged: the next block cannot be found without it.
bool InPlaceCompaction::readBlock(int64_t offset, HashBlock &block) {
  try {
    file_->readBlock(offset, block);
    return true;
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    leave(failure);
    return false;
  }
}

// Notes the reason that a record is not moved. Damage takes precedence.
void InPlaceCompaction::leave(const Failure &failure) {
  const bool isWorse = failure_ && failure.code == TDN_DAMAGED && failure_->code != TDN_DAMAGED;
  if (!failure_ || isWorse) failure_ = failure;
}

void InPlaceCompaction::noteCompacted(const Readers &readers, int64_t start, int64_t end) {
  if (start >= end) return;
  for (const Commit::Reader &reader : readers) reader.part->noteCompacted({start, end});
}

}  // namespace todana
