#include "SeriesBackup.h"

#include <algorithm>
#include <chrono>

#include "../Disk/Failure.h"

namespace todana {

namespace {

constexpr uint64_t kMaximumBlocks = UINT32_MAX;

bool isZeros(const char *block) {
  uint64_t first;
  std::memcpy(&first, block, sizeof first);
  return first == 0 && std::memcmp(block, block + 8, kPieceSize - 8) == 0;
}

}  // namespace

SeriesBackup::SeriesBackup(SeriesDirectory directory, const uint8_t storeID[16], Disk &source)
    : directory_(std::move(directory)), source_(source), reader_(directory_.disk()),
      content_(static_cast<size_t>(kGroupSize)) {
  findBase(storeID);
  uint32_t last = 0;
  if (!directory_.manifests().empty()) last = directory_.manifests().back();
  if (last == UINT32_MAX) {
    throw Failure(TDN_LIMIT, "the series has no backup numbers left: begin another series", directory_.path());
  }
  number_ = last + 1;
  std::memcpy(manifest_.header.storeID, storeID, 16);
  removeRemnants();
  out_.reserve(static_cast<size_t>(kGroupSize + kPieceSize));
}

// Finds the backup to compare with. If the newest manifest is damaged, an older one is used.
void SeriesBackup::findBase(const uint8_t storeID[16]) {
  const std::vector<uint32_t> &numbers = directory_.manifests();
  for (auto number = numbers.rbegin(); number != numbers.rend() && !base_; ++number) {
    try {
      base_ = Manifest::read(directory_.disk(), *number);
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED || std::next(number) == numbers.rend()) throw;
    }
  }
  if (!base_) return;
  if (std::memcmp(base_->header.storeID, storeID, 16) != 0) {
    throw Failure(TDN_OTHER_STORE, "the series has backups of another store: use another directory", directory_.path());
  }
  for (const Manifest::File &file : base_->files) baseFiles_[file.name] = &file;
}

// Removes segments of backups that were never completed. Only segments after the newest manifest are certainly
// remnants: the user may have removed other manifests.
void SeriesBackup::removeRemnants() {
  Disk &disk = directory_.disk();
  for (uint32_t segment : directory_.segments()) {
    if (segment >= number_) disk.remove(SeriesDirectory::segmentName(segment));
  }
}

SeriesBackup::~SeriesBackup() {
  if (progress_.isDone) return;
  try {
    segment_ = nullptr;
    const std::string name = SeriesDirectory::manifestName(number_);
    directory_.disk().remove(SeriesDirectory::newName(name));
    directory_.disk().remove(SeriesDirectory::segmentName(number_));
  } catch (const std::exception &) {
    // The next backup removes the remaining files.
  }
}

void SeriesBackup::begin(FileGroup::BackupPlan plan) {
  plan_ = std::move(plan);
  for (const auto &file : plan_.files) progress_.byteCount += file.byteCount;
  manifest_.header.commitNumber = plan_.commitNumber;
  manifest_.header.byteCount = static_cast<uint64_t>(progress_.byteCount);
}

void SeriesBackup::next(const std::function<void(const Damage &damage)> &) {
  for (int group = 0; group < kGroupsInStep && !progress_.isDone; group++) {
    if (plan_.hold->hasEnded) throw Failure(TDN_INTERRUPTED, "the store was closed or reopened, which ended the backup");
    if (file_ == plan_.files.size()) return finish();
    const auto &file = plan_.files[file_];
    if (!from_) openFile();
    if (offset_ < file.byteCount) addGroup(file);
    if (offset_ == file.byteCount) {
      from_ = nullptr;
      file_++;
    }
  }
}

void SeriesBackup::openFile() {
  const auto &file = plan_.files[file_];
  from_ = source_.open(file.name, Disk::Mode::read);
  if (!from_) throw Failure(TDN_DAMAGED, "the file is missing", file.name);
  offset_ = 0;
  auto found = baseFiles_.find(file.name);
  baseFile_ = found == baseFiles_.end() ? nullptr : found->second;
  manifest_.files.push_back({file.name, file.byteCount, manifest_.groups.size()});
}

void SeriesBackup::addGroup(const FileGroup::BackupPlan::File &file) {
  const size_t byteCount = static_cast<size_t>(std::min(kGroupSize, file.byteCount - offset_));
  if (from_->read(offset_, content_.data(), byteCount) != byteCount) {
    throw Failure(TDN_DAMAGED, "the file is truncated", file.name);
  }
  const size_t pieces = pieceCount(file.byteCount, offset_);
  std::memset(content_.data() + byteCount, 0, pieces * kPieceSize - byteCount);

  GroupTable before{};
  const BlockEntry *entry = nullptr;
  size_t piecesBefore = 0;
  if (baseFile_ && offset_ < baseFile_->byteCount) {
    entry = &base_->groups[baseFile_->firstGroup + static_cast<size_t>(offset_ / kGroupSize)];
    piecesBefore = pieceCount(baseFile_->byteCount, offset_);
    // Groups with an unreadable table are written again.
    if (!reader_.readTable(*entry, piecesBefore, before)) entry = nullptr;
  }
  GroupTable table{};
  for (size_t index = 0; index < pieces; index++) {
    const char *piece = content_.data() + index * kPieceSize;
    BlockEntry &now = table.pieces[index];
    now.sum = WideSum::of(piece, kPieceSize, kPieceSeed);
    const BlockEntry &then = before.pieces[index];
    if (entry && index < piecesBefore && then.sum == now.sum && reader_.has(then.segment, then.block)) {
      now = then;
    } else if (!isZeros(piece)) {
      now.segment = number_;
      now.block = append(piece);
    }
  }
  if (entry && std::memcmp(&table, &before, sizeof table) == 0) {
    manifest_.groups.push_back(*entry);
  } else {
    BlockEntry place;
    place.sum = WideSum::of(&table, sizeof table, kTableSeed);
    place.segment = number_;
    place.block = append(&table);
    manifest_.groups.push_back(place);
  }
  writeOut();
  offset_ += static_cast<int64_t>(byteCount);
  progress_.doneByteCount += static_cast<int64_t>(byteCount);
}

uint32_t SeriesBackup::append(const void *block) {
  const uint64_t number = writtenBlocks_ + out_.size() / kPieceSize;
  if (number >= kMaximumBlocks) throw Failure(TDN_LIMIT, "a backup would write more than 16 TiB");
  const char *bytes = static_cast<const char *>(block);
  out_.insert(out_.end(), bytes, bytes + kPieceSize);
  return static_cast<uint32_t>(number);
}

void SeriesBackup::writeOut() {
  if (out_.empty()) return;
  if (!segment_) segment_ = directory_.disk().open(SeriesDirectory::segmentName(number_), Disk::Mode::create);
  segment_->write(static_cast<int64_t>(writtenBlocks_) * kPieceSize, out_.data(), out_.size());
  progress_.newByteCount += static_cast<int64_t>(out_.size());
  writtenBlocks_ += out_.size() / kPieceSize;
  out_.clear();
}

void SeriesBackup::finish() {
  if (segment_) segment_->flush();
  manifest_.header.segmentByteCount = writtenBlocks_ * kPieceSize;
  manifest_.header.milliseconds =
    std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  manifest_.write(directory_.disk(), number_, progress_.isDone);
  progress_.newByteCount += static_cast<int64_t>(manifest_.header.manifestByteCount);
  plan_.hold.reset();
}

}  // namespace todana
