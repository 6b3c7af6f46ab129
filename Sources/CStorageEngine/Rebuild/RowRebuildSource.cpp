#include "RowRebuildSource.h"

#include <algorithm>

#include "../Kyoto/RowFinder.h"

namespace todana {

RowRebuildSource::RowRebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion)
    : RebuildSource(std::move(from), keyspace, conversion) {}

uint64_t RowRebuildSource::recordCount() const {
  return arePacked() ? groups_.size() : rowCount_;
}

uint64_t RowRebuildSource::byteCount() const {
  if (!arePacked()) return unpackedBytes_;
  const uint64_t packCount = groups_.size();
  const uint64_t average = (rowBytes_ + rowCount_ * RowPack::kSlotSize) / packCount + RowPack::kHeaderSize;
  return packCount * recordSize(PackKey(groups_.back().number).length, average);
}

void RowRebuildSource::sortOut(bool isLast) {
  if (!isLast && groups_.size() < mergeSize_) return;
  mergeGroups();
  mergeSize_ = std::max(kFewestGroupsToMerge, groups_.size() * 2);
}

uint64_t RowRebuildSource::taken() const {
  return surveyed() < total() || groups_.empty() ? 0 : total() / groups_.size() * next_;
}

bool RowRebuildSource::take() {
  StepLimit limit;
  for (; next_ < groups_.size(); next_++) {
    if (limit.isReached(bytes_.size())) return true;
    takeGroup(groups_[next_].number, groups_[next_].singles, false);
  }
  return false;
}

size_t RowRebuildSource::keep(RebuildJournal changes) {
  changed_ = std::move(changes.packs);
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  return changed_.size();
}

void RowRebuildSource::takeChange(size_t index) { takeGroup(changed_[index], UINT32_MAX, true); }

void RowRebuildSource::write(const HashFile &target, HashWriter &writer) {
  if (conversion_) convert();
  for (size_t index = 0; index < taken_.size(); index++) {
    const size_t end = index + 1 < taken_.size() ? taken_[index + 1].firstRow : rows_.size();
    writeGroup(taken_[index], end, target, writer);
  }
  taken_.clear();
  rows_.clear();
  bytes_.clear();
}

bool RowRebuildSource::arePacked() const {
  return !groups_.empty() && rowCount_ >= groups_.size() * kFewestPackedRows &&
         rowBytes_ <= groups_.size() * kLargestPack;
}

void RowRebuildSource::note(const HashBlock &record) {
  uint64_t row;
  if (RowKey::parse(record.key, record.keyLength, &row)) {
    groups_.push_back({packNumber(row), 1U << packIndex(row)});
    noteRow(row, record.valueLength);
  } else {
    uint64_t number;
    if (!PackKey::parse(record.key, record.keyLength, &number)) {
      from_->damaged("a record has an invalid key", offset_);
    }
    groups_.push_back({number, 0});
    const RowPack pack = openPack(*from_, record);
    for (int index = 0; index < kPackCapacity; index++) {
      std::string_view bytes;
      if (!pack.contains(index)) continue;
      if (!pack.row(index, bytes)) from_->damaged("a pack of rows is damaged", record.offset);
      noteRow((number << kPackPower) + static_cast<uint64_t>(index), bytes.size());
    }
  }
}

void RowRebuildSource::noteRow(uint64_t row, size_t byteCount) {
  rowCount_++;
  rowBytes_ += byteCount;
  unpackedBytes_ += recordSize(RowKey(row).length, byteCount);
}

void RowRebuildSource::mergeGroups() {
  std::sort(groups_.begin(), groups_.end(), [](const Group &a, const Group &b) { return a.number < b.number; });
  size_t count = 0;
  for (const Group &group : groups_) {
    if (count > 0 && groups_[count - 1].number == group.number) {
      groups_[count - 1].singles |= group.singles;
    } else {
      groups_[count++] = group;
    }
  }
  groups_.resize(count);
}

void RowRebuildSource::takeGroup(uint64_t number, uint32_t singles, bool isChanged) {
  taken_.push_back({number, rows_.size(), isChanged});
  const uint64_t firstRow = number << kPackPower;
  HashFile::Place places[kPackCapacity];
  for (int index = 0; index < kPackCapacity; index++) {
    if (!(singles >> index & 1)) continue;
    RowKey key(firstRow + static_cast<uint64_t>(index));
    places[index] = from_->place(key.bytes, key.length);
    from_->prefetchBucket(places[index]);
  }
  RowPack pack;
  HashBlock packRecord;
  if (from_->packedRows().exist) {
    PackKey key(number);
    if (from_->findKey(key.bytes, key.length, from_->place(key.bytes, key.length), packRecord)) {
      pack = openPack(*from_, packRecord);
    }
  }
  singles &= ~pack.rows();
  for (int index = 0; index < kPackCapacity; index++) {
    if (singles >> index & 1) from_->prefetchRecord(places[index]);
  }
  for (int index = 0; index < kPackCapacity; index++) {
    if (pack.contains(index)) {
      takeRow(index, packedRow(*from_, packRecord, pack, index));
    } else if (singles >> index & 1) {
      RowKey key(firstRow + static_cast<uint64_t>(index));
      HashBlock record;
      if (from_->findKey(key.bytes, key.length, places[index], record)) {
        rows_.push_back({index, bytes_.size(), record.valueLength});
        from_->copyValue(record, bytes_);
      }
    }
  }
}

void RowRebuildSource::takeRow(int index, std::string_view bytes) {
  rows_.push_back({index, bytes_.size(), bytes.size()});
  bytes_.append(bytes);
}

void RowRebuildSource::convert() {
  std::string converted;
  for (size_t index = 0; index < taken_.size(); index++) {
    const size_t end = index + 1 < taken_.size() ? taken_[index + 1].firstRow : rows_.size();
    for (size_t row = taken_[index].firstRow; row < end; row++) {
      const uint64_t id = (taken_[index].number << kPackPower) + static_cast<uint64_t>(rows_[row].index);
      const std::string record = conversion_->row(keyspace_, id, bytes(rows_[row]));
      rows_[row].position = converted.size();
      rows_[row].length = record.size();
      converted += record;
    }
  }
  bytes_ = std::move(converted);
}

void RowRebuildSource::writeGroup(const TakenGroup &group, size_t endRow, const HashFile &target, HashWriter &writer) {
  uint32_t packed = 0;
  builder_.begin();
  if (endRow - group.firstRow >= kFewestPackedRows) {
    for (size_t row = group.firstRow; row < endRow; row++) {
      if (builder_.add(rows_[row].index, bytes(rows_[row]))) packed |= 1U << rows_[row].index;
    }
    if (static_cast<size_t>(builder_.rowCount()) < kFewestPackedRows) packed = 0;
  }
  PackKey packKey(group.number);
  const HashFile::Place packPlace = target.place(packKey.bytes, packKey.length);
  if (group.isChanged) clearGroup(group, endRow, packed, target, writer);
  if (packed != 0) {
    std::string_view value = builder_.finish();
    writer.put(packKey.bytes, packKey.length, packPlace, value.data(), value.size());
    writer.addSurplusRows(builder_.rowCount() - 1);
  }
  for (size_t row = group.firstRow; row < endRow; row++) {
    if (packed >> rows_[row].index & 1) continue;
    RowKey key((group.number << kPackPower) + static_cast<uint64_t>(rows_[row].index));
    writer.put(
      key.bytes, key.length, target.place(key.bytes, key.length), bytes_.data() + rows_[row].position,
      rows_[row].length);
  }
}

void RowRebuildSource::clearGroup(
  const TakenGroup &group, size_t endRow, uint32_t packed, const HashFile &target, HashWriter &writer) {
  PackKey packKey(group.number);
  HashBlock record;
  if (find(target, packKey.bytes, packKey.length, record)) {
    writer.addSurplusRows(1 - openPack(target, record).rowCount());
    if (packed == 0) remove(target, packKey.bytes, packKey.length, record, writer);
  }
  uint32_t kept = 0;
  for (size_t row = group.firstRow; row < endRow; row++) kept |= 1U << rows_[row].index;
  kept &= ~packed;
  for (int index = 0; index < kPackCapacity; index++) {
    RowKey key((group.number << kPackPower) + static_cast<uint64_t>(index));
    if (!(kept >> index & 1) && find(target, key.bytes, key.length, record)) {
      remove(target, key.bytes, key.length, record, writer);
    }
  }
}

bool RowRebuildSource::find(const HashFile &target, const char *key, size_t length, HashBlock &record) {
  return target.findKey(key, length, target.place(key, length), record);
}

void RowRebuildSource::remove(
  const HashFile &target, const char *key, size_t length, const HashBlock &record, HashWriter &writer) {
  target.checkRemoval(record);
  writer.remove(key, length, target.place(key, length));
}

}  // namespace todana
