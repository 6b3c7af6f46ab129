#include "SeriesVerify.h"

#include <algorithm>

#include "../Disk/Failure.h"

namespace todana {

SeriesVerify::SeriesVerify(const std::string &path, uint64_t number)
    : directory_(path, SeriesDirectory::Use::read), reader_(directory_.disk()),
      content_(static_cast<size_t>(kGroupSize)) {
  if (number == 0) {
    numbers_ = directory_.manifests();
  } else {
    numbers_ = {directory_.find(number)};
  }
  for (uint32_t each : numbers_) {
    try {
      progress_.byteCount += static_cast<int64_t>(Manifest::readHeader(directory_.disk(), each).byteCount);
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;  // reported when this backup is verified
    }
  }
}

void SeriesVerify::next(const std::function<void(const Damage &damage)> &onDamage) {
  for (int group = 0; group < kGroupsInStep; group++) {
    while (!manifest_ || file_ == manifest_->files.size()) {
      if (!openNext(onDamage)) {
        progress_.isDone = true;
        return;
      }
    }
    const Manifest::File &file = manifest_->files[file_];
    if (offset_ < file.byteCount) checkGroup(onDamage);
    if (offset_ >= file.byteCount) {
      file_++;
      offset_ = 0;
    }
  }
}

bool SeriesVerify::openNext(const std::function<void(const Damage &damage)> &onDamage) {
  manifest_ = std::nullopt;
  file_ = 0;
  offset_ = 0;
  while (next_ < numbers_.size()) {
    const uint32_t number = numbers_[next_++];
    try {
      manifest_ = Manifest::read(directory_.disk(), number);
      return true;
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED && failure.code != TDN_IO) throw;
      onDamage({number, "", 0, 0, SeriesDirectory::manifestName(number)});
    }
  }
  return false;
}

bool SeriesVerify::isKnown(const BlockEntry &entry) const {
  auto found = sound_.find(entry.segment);
  return found != sound_.end() && entry.block < found->second.size() && found->second[entry.block];
}

void SeriesVerify::checkGroup(const std::function<void(const Damage &damage)> &onDamage) {
  const Manifest::File &file = manifest_->files[file_];
  const BlockEntry &entry = manifest_->groups[file.firstGroup + static_cast<size_t>(offset_ / kGroupSize)];
  const size_t pieces = pieceCount(file.byteCount, offset_);
  const int64_t byteCount = std::min(kGroupSize, file.byteCount - offset_);
  const int64_t offset = offset_;
  offset_ += byteCount;
  progress_.doneByteCount += byteCount;
  GroupTable table;
  bool isSound[kGroupPieces] = {};
  bool isTableSound = false;
  try {
    isTableSound = reader_.readTable(entry, pieces, table);
    if (isTableSound) {
      if (isKnown(entry)) return;
      reader_.readPieces(table, pieces, content_.data(), isSound);
    }
  } catch (const Failure &failure) {
    // Data that the device cannot read are damaged, and pieces not read yet count as damaged, too.
    if (failure.code != TDN_IO) throw;
  }
  if (!isTableSound) {
    return onDamage({manifest_->number(), file.name, offset, byteCount, SeriesDirectory::segmentName(entry.segment)});
  }
  bool areAllSound = true;
  for (size_t index = 0; index < pieces; index++) {
    if (isSound[index]) continue;
    areAllSound = false;
    const int64_t start = static_cast<int64_t>(index) * kPieceSize;
    onDamage({manifest_->number(), file.name, offset + start, std::min(kPieceSize, byteCount - start),
              SeriesDirectory::segmentName(table.pieces[index].segment)});
  }
  if (!areAllSound) return;
  std::vector<bool> &known = sound_[entry.segment];
  // `entry.block` lies within the segment, because its table could be read.
  if (known.size() <= entry.block) known.resize(size_t{entry.block} + 1);
  known[entry.block] = true;
}

}  // namespace todana
