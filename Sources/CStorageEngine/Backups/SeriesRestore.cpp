#include "SeriesRestore.h"

#include <algorithm>

#include "../Directory/StoreKeys.h"
#include "../Disk/Failure.h"

namespace todana {

SeriesRestore::SeriesRestore(const std::string &path, uint64_t number, const std::string &target)
    : directory_(path, SeriesDirectory::Use::read), reader_(directory_.disk()),
      manifest_(Manifest::read(directory_.disk(), directory_.find(number))),
      target_(target, [this](const std::string &name) {
        const auto isNamed = [&](const Manifest::File &file) { return file.name == name; };
        return name == StoreKeys::kCopyMark || std::any_of(manifest_.files.begin(), manifest_.files.end(), isNamed);
      }),
      content_(static_cast<size_t>(kGroupSize)) {
  progress_.byteCount = static_cast<int64_t>(manifest_.header.byteCount);
}

void SeriesRestore::next(const std::function<void(const Damage &damage)> &) {
  for (int group = 0; group < kGroupsInStep; group++) {
    if (file_ == manifest_.files.size()) {
      StoreKeys::markCopy(target_.disk());
      target_.finish();
      progress_.isDone = true;
      return;
    }
    const Manifest::File &file = manifest_.files[file_];
    if (!to_) to_ = target_.disk().open(file.name, Disk::Mode::create);
    if (offset_ < file.byteCount) addGroup(file);
    if (offset_ >= file.byteCount) {
      to_->flush();
      to_ = nullptr;
      offset_ = 0;
      file_++;
    }
  }
}

void SeriesRestore::addGroup(const Manifest::File &file) {
  const BlockEntry &entry = manifest_.groups[file.firstGroup + static_cast<size_t>(offset_ / kGroupSize)];
  const size_t pieces = pieceCount(file.byteCount, offset_);
  const int64_t byteCount = std::min(kGroupSize, file.byteCount - offset_);
  GroupTable table;
  bool isSound[kGroupPieces];
  bool isAllSound = reader_.readTable(entry, pieces, table);
  uint32_t segment = entry.segment;
  if (isAllSound) {
    reader_.readPieces(table, pieces, content_.data(), isSound);
    const bool *bad = std::find(isSound, isSound + pieces, false);
    isAllSound = bad == isSound + pieces;
    if (!isAllSound) segment = table.pieces[bad - isSound].segment;
  }
  if (!isAllSound) {
    throw Failure(
      TDN_DAMAGED, "a piece of " + file.name + " in backup " + std::to_string(manifest_.number()) +
                     " is damaged: restore another backup",
      SeriesDirectory::segmentName(segment));
  }
  to_->write(offset_, content_.data(), static_cast<size_t>(byteCount));
  offset_ += byteCount;
  progress_.doneByteCount += byteCount;
}

}  // namespace todana
