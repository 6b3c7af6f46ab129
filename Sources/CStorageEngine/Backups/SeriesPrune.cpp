#include "SeriesPrune.h"

#include <algorithm>

#include "../Disk/Failure.h"

namespace todana {

namespace {

constexpr int kRunsInStep = 4096;

// Marks a block. Returns true if it was not marked before.
bool set(std::vector<bool> &marks, uint32_t block) {
  if (marks.size() <= block) marks.resize(size_t{block} + 1);
  if (marks[block]) return false;
  return marks[block] = true;
}

}  // namespace

std::unique_ptr<SeriesPrune> SeriesPrune::keepingNewest(SeriesDirectory directory, uint64_t count) {
  if (count == 0) throw Failure(TDN_INVALID, "at least one backup must be kept", directory.path());
  const size_t all = directory.manifests().size();
  const size_t end = all > count ? all - static_cast<size_t>(count) : 0;
  return std::unique_ptr<SeriesPrune>(new SeriesPrune(std::move(directory), 0, end));
}

std::unique_ptr<SeriesPrune> SeriesPrune::removing(SeriesDirectory directory, uint64_t number) {
  if (number == 0) throw Failure(TDN_INVALID, "backups are numbered from 1", directory.path());
  const uint32_t found = directory.find(number);
  const std::vector<uint32_t> &numbers = directory.manifests();
  if (numbers.size() == 1) {
    throw Failure(
      TDN_INVALID, "the only backup cannot be removed: remove the directory of the series", directory.path());
  }
  const size_t index =
    static_cast<size_t>(std::lower_bound(numbers.begin(), numbers.end(), found) - numbers.begin());
  return std::unique_ptr<SeriesPrune>(new SeriesPrune(std::move(directory), index, index + 1));
}

SeriesPrune::SeriesPrune(SeriesDirectory directory, size_t firstRemoved, size_t endRemoved)
    : directory_(std::move(directory)),
      reader_(directory_.disk()),
      firstRemoved_(firstRemoved),
      endRemoved_(endRemoved) {
  for (size_t index = 0; index < directory_.manifests().size(); index++) {
    if (isRemoved(index)) continue;
    progress_.byteCount +=
      static_cast<int64_t>(Manifest::readHeader(directory_.disk(), directory_.manifests()[index]).byteCount);
  }
}

void SeriesPrune::next(const std::function<void(const Damage &damage)> &) {
  if (!isMarked_) {
    if (mark()) return;
    removeManifests();
    isMarked_ = true;
  } else {
    progress_.isDone = !sweep();
  }
}

// Marks the blocks that the remaining backups need. Returns false when all of them are marked.
bool SeriesPrune::mark() {
  // Read more groups in a step: only tables are read, which are a 128th of the content.
  for (int group = 0; group < 64 * kGroupsInStep; group++) {
    while (!manifest_ || file_ == manifest_->files.size()) {
      while (isRemoved(next_)) next_++;
      if (next_ == directory_.manifests().size()) return false;
      manifest_ = Manifest::read(directory_.disk(), directory_.manifests()[next_++]);
      file_ = 0;
      offset_ = 0;
    }
    const Manifest::File &file = manifest_->files[file_];
    if (offset_ < file.byteCount) markGroup(file);
    if (offset_ >= file.byteCount) {
      file_++;
      offset_ = 0;
    }
  }
  return true;
}

void SeriesPrune::markGroup(const Manifest::File &file) {
  const BlockEntry &entry = manifest_->groups[file.firstGroup + static_cast<size_t>(offset_ / kGroupSize)];
  const size_t pieces = pieceCount(file.byteCount, offset_);
  const int64_t byteCount = std::min(kGroupSize, file.byteCount - offset_);
  offset_ += byteCount;
  progress_.doneByteCount += byteCount;
  // Check the block first, so that marks are limited to existing segments.
  if (reader_.has(entry.segment, entry.block) && !set(tables_[entry.segment], entry.block)) return;
  GroupTable table;
  if (!reader_.readTable(entry, pieces, table)) {
    throw Failure(
      TDN_DAMAGED,
      "backup " + std::to_string(manifest_->number()) + " is damaged, so its data are unknown: nothing was removed",
      SeriesDirectory::segmentName(entry.segment));
  }
  set(needed_[entry.segment], entry.block);
  for (size_t index = 0; index < pieces; index++) {
    const BlockEntry &piece = table.pieces[index];
    if (piece.segment != 0 && reader_.has(piece.segment, piece.block)) set(needed_[piece.segment], piece.block);
  }
}

void SeriesPrune::removeManifests() {
  Disk &disk = directory_.disk();
  for (size_t index = firstRemoved_; index < endRemoved_; index++) {
    disk.remove(SeriesDirectory::manifestName(directory_.manifests()[index]));
  }
  disk.flushDirectory();
}

// Processes a segment, or a part of it. Returns false at the end.
bool SeriesPrune::sweep() {
  if (segment_ == directory_.segments().size()) return false;
  const uint32_t segment = directory_.segments()[segment_];
  auto found = needed_.find(segment);
  if (found == needed_.end()) {
    directory_.disk().remove(SeriesDirectory::segmentName(segment));
  } else if (giveBack(segment, found->second)) {
    return true;
  }
  segment_++;
  block_ = 0;
  return true;
}

// Punches holes for unneeded blocks. Returns true if there is more to do.
bool SeriesPrune::giveBack(uint32_t segment, const std::vector<bool> &needed) {
  std::unique_ptr<DiskFile> file = directory_.disk().open(SeriesDirectory::segmentName(segment), Disk::Mode::write);
  if (!file) return false;
  const size_t blockCount = static_cast<size_t>(file->size() / kPieceSize);
  const auto isNeeded = [&](size_t block) { return block < needed.size() && needed[block]; };
  for (int run = 0; run < kRunsInStep; run++) {
    while (block_ < blockCount && isNeeded(block_)) block_++;
    if (block_ == blockCount) return false;
    const size_t first = block_;
    while (block_ < blockCount && !isNeeded(block_)) block_++;
    const int64_t byteCount = static_cast<int64_t>(block_ - first) * kPieceSize;
    // If the file system does not support this, the blocks remain until no block of the segment is needed.
    if (!file->giveBack(static_cast<int64_t>(first) * kPieceSize, byteCount)) return false;
  }
  return true;
}

}  // namespace todana
