#include "Backup.h"

#include <algorithm>

#include "../Directory/StoreKeys.h"
#include "../Disk/Failure.h"

namespace todana {

namespace {

constexpr int64_t kStep = 4 << 20;

}  // namespace

Backup::Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source)
    : reader_(std::move(plan), source), target_(path, [this](const std::string &name) {
        const auto isNamed = [&](const auto &file) { return file.name == name; };
        return name == StoreKeys::kCopyMark || std::any_of(reader_.files().begin(), reader_.files().end(), isNamed);
      }) {}

int64_t Backup::next() {
  int64_t room = kStep;
  while (room > 0 && !isDone()) {
    const BackupReader::Piece piece = reader_.next(room);
    if (!piece.file) {
      finish();
      break;
    }
    if (!to_) to_ = target_.disk().open(piece.file->name, Disk::Mode::create);
    if (piece.byteCount > 0) to_->write(piece.offset, piece.bytes, piece.byteCount);
    copied_ += static_cast<int64_t>(piece.byteCount);
    room -= static_cast<int64_t>(piece.byteCount);
    if (piece.isLast) {
      to_->flush();
      to_.reset();
    }
  }
  return copied_;
}

void Backup::finish() {
  StoreKeys::markCopy(target_.disk());
  target_.finish();
  reader_.release();
}

}  // namespace todana
