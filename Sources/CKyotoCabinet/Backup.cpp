#include "Backup.h"

#include <algorithm>

#include "Failure.h"
#include "Keys/StoreKeys.h"

namespace todana {

namespace {

constexpr int64_t kStep = 4 << 20;

}  // namespace

Backup::Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source)
    : plan_(std::move(plan)), source_(source), target_(path, [this](const std::string &name) {
        const auto isNamed = [&](const auto &file) { return file.name == name; };
        return name == StoreKeys::kCopyMark || std::any_of(plan_.files.begin(), plan_.files.end(), isNamed);
      }),
      buffer_(kStep) {
  for (const auto &file : plan_.files) byteCount_ += file.byteCount;
}

int64_t Backup::next() {
  int64_t room = kStep;
  while (room > 0 && !isDone()) {
    if (plan_.hold->hasEnded) throw Failure(TDN_INTERRUPTED, "the store was closed or reopened, which ended the backup");
    if (file_ == plan_.files.size()) {
      finish();
      break;
    }
    const auto &file = plan_.files[file_];
    if (!to_) {
      from_ = source_.open(file.name, Disk::Mode::read);
      if (!from_) throw Failure(TDN_DAMAGED, "the file is missing", file.name);
      to_ = target_.disk().open(file.name, Disk::Mode::create);
    }
    const int64_t wanted = std::min(room, file.byteCount - offset_);
    if (wanted > 0) {
      const size_t count = from_->read(offset_, buffer_.data(), static_cast<size_t>(wanted));
      if (static_cast<int64_t>(count) < wanted) throw Failure(TDN_DAMAGED, "the file is cut short", file.name);
      to_->write(offset_, buffer_.data(), count);
      offset_ += wanted;
      copied_ += wanted;
      room -= wanted;
    }
    if (offset_ == file.byteCount) {
      to_->flush();
      from_.reset();
      to_.reset();
      offset_ = 0;
      file_++;
    }
  }
  return copied_;
}

void Backup::finish() {
  StoreKeys::markCopy(target_.disk());
  target_.finish();
  plan_.hold.reset();
}

}  // namespace todana
