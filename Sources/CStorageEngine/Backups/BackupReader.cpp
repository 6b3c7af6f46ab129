#include "BackupReader.h"

#include <algorithm>

#include "../Disk/Failure.h"

namespace todana {

namespace {

constexpr int64_t kLargestPiece = 4 << 20;

}  // namespace

BackupReader::BackupReader(FileGroup::BackupPlan plan, Disk &source) : plan_(std::move(plan)), source_(source) {
  for (const File &file : plan_.files) byteCount_ += file.byteCount;
}

BackupReader::Piece BackupReader::next(int64_t limit) {
  if (plan_.hold && plan_.hold->hasEnded) {
    throw Failure(TDN_INTERRUPTED, "the store was closed or reopened, which ended the backup");
  }
  if (file_ == plan_.files.size()) return {};
  const File &file = plan_.files[file_];
  const int64_t wanted = std::min({limit, kLargestPiece, file.byteCount - offset_});
  if (wanted > 0) {
    if (!from_) from_ = source_.open(file.name, Disk::Mode::read);
    if (!from_) throw Failure(TDN_DAMAGED, "the file is missing", file.name);
    if (buffer_.size() < static_cast<size_t>(wanted)) buffer_.resize(static_cast<size_t>(wanted));
    const size_t count = from_->read(offset_, buffer_.data(), static_cast<size_t>(wanted));
    if (static_cast<int64_t>(count) < wanted) throw Failure(TDN_DAMAGED, "the file is truncated", file.name);
  }
  const Piece piece{
    &file, offset_, buffer_.data(), static_cast<size_t>(wanted), offset_ + wanted == file.byteCount};
  offset_ += wanted;
  if (piece.isLast) {
    from_.reset();
    offset_ = 0;
    file_++;
  }
  return piece;
}

}  // namespace todana
