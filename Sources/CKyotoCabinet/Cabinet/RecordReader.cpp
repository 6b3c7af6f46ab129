#include "RecordReader.h"

#include "../Kyoto/RowFinder.h"
#include "../Snapshots/StepLimit.h"

namespace todana {

bool RecordReader::addKey(ChunkWriter &chunk, std::string_view key) const {
  if (const OldRecord *old = oldRecord(key)) return addOld(chunk, 0, *old);
  HashBlock record;
  bool exists;
  try {
    exists = findUnchanged(key, record);
  } catch (const Failure &failure) {
    return addFailed(chunk, 0, failure);
  }
  if (!exists) return chunk.add(0, {}, 0, TDN_ABSENT);
  return addFound(chunk, 0, {record.value, record.valueLength});
}

bool RecordReader::addRow(ChunkWriter &chunk, uint64_t row) const {
  PackKey packKey(packNumber(row));
  RowKey rowKey(row);
  std::string_view key(rowKey.bytes, rowKey.length), value;
  HashBlock record;
  try {
    std::string oldPack;
    RowPack pack;
    if (const OldRecord *old = oldRecord({packKey.bytes, packKey.length}); old && old->exists()) {
      oldPack.resize(old->length);
      snapshot_->readOldValue(*old, oldPack.data());
      if (!pack.open(oldPack.data(), oldPack.size())) file_->damaged("a pack of rows is damaged", old->offset);
      if (pack.contains(packIndex(row)) && !pack.row(packIndex(row), value)) {
        file_->damaged("a pack of rows is damaged", old->offset);
      }
    } else if (!old && findUnchanged({packKey.bytes, packKey.length}, record)) {
      pack = openPack(*file_, record);
      if (pack.contains(packIndex(row))) value = packedRow(*file_, record, pack, packIndex(row));
    }
    if (pack.contains(packIndex(row))) return chunk.add(row, {}, value.data(), value.size());
    if (const OldRecord *old = oldRecord(key)) return addOld(chunk, row, *old);
    if (!findUnchanged(key, record)) return chunk.add(row, {}, 0, TDN_ABSENT);
  } catch (const Failure &failure) {
    return addFailed(chunk, row, failure);
  }
  return addFound(chunk, row, {record.value, record.valueLength});
}

bool RecordReader::addFound(ChunkWriter &chunk, uint64_t row, std::string_view value) const {
  const bool isAdded = chunk.add(row, {}, value.data(), value.size());
  if (isAdded) file_->releaseValue(value);
  return isAdded;
}

bool RecordReader::addOld(ChunkWriter &chunk, uint64_t row, const OldRecord &old) const {
  const bool hasValue = old.exists() && !chunk.leavesOutValues();
  char *value = chunk.add(row, {}, hasValue ? old.length : 0, old.exists() ? TDN_FOUND : TDN_ABSENT);
  if (value && hasValue) snapshot_->readOldValue(old, value);
  return value;
}

bool RecordReader::addFailed(ChunkWriter &chunk, uint64_t row, const Failure &failure) {
  if (failure.code != TDN_DAMAGED) throw failure;
  return chunk.add(row, {}, 0, TDN_RECORD_DAMAGED);
}

const OldRecord *RecordReader::oldRecord(std::string_view key) const {
  if (!part_ || part_->changed.empty()) return nullptr;
  auto old = part_->changed.find(std::string(key));
  return old == part_->changed.end() ? nullptr : &old->second;
}

bool RecordReader::findUnchanged(std::string_view key, HashBlock &record) const {
  return file_->find(key.data(), key.size(), record) && (!part_ || record.offset < part_->end);
}

namespace {

// One step of reading rows, under one read lock.
class RowsStep {
 public:
  RowsStep(const RecordReader &reader, ChunkWriter &chunk)
      : reader_(reader), finder_(*reader.file()), chunk_(chunk), start_(chunk.byteCount()) {}

  // Adds rows from `next` on until the step is over. False when the chunk is full.
  bool add(const uint64_t *rows, size_t rowCount, size_t &next) {
    while (next < rowCount && !isOver_) {
      const size_t count = std::min(kHashGroupSize, rowCount - next);
      if (!(reader_.isUnchanged() ? addFound(rows, count, next) : addOneByOne(rows, count, next))) return false;
    }
    return true;
  }

 private:
  bool addOneByOne(const uint64_t *rows, size_t count, size_t &next) {
    for (size_t member = 0; member < count; member++, next++) {
      if (!reader_.addRow(chunk_, rows[next])) return false;
      isOver_ |= limit_.isReached(chunk_.byteCount() - start_);
    }
    return true;
  }

  bool addFound(const uint64_t *rows, size_t count, size_t &next) {
    for (size_t member = 0; member < count; member++) finder_.add(member, rows[next + member]);
    finder_.fetch(count);
    for (size_t member = 0; member < count; member++, next++) {
      if (!addFound(member, rows[next])) return false;
      isOver_ |= limit_.isReached(chunk_.byteCount() - start_);
    }
    return true;
  }

  bool addFound(size_t member, uint64_t row) {
    std::string_view value;
    try {
      if (!finder_.find(member, row, value)) return chunk_.add(row, {}, 0, TDN_ABSENT);
    } catch (const Failure &failure) {
      return RecordReader::addFailed(chunk_, row, failure);
    }
    return reader_.addFound(chunk_, row, value);
  }

  const RecordReader &reader_;
  RowFinder finder_;
  ChunkWriter &chunk_;
  const size_t start_;
  StepLimit limit_;
  bool isOver_ = false;
};

}  // namespace

bool RecordReader::addRows(ChunkWriter &chunk, const uint64_t *rows, size_t rowCount, size_t &next) const {
  if (file_) return RowsStep(*this, chunk).add(rows, rowCount, next);
  for (; next < rowCount; next++) {
    if (!chunk.add(rows[next], {}, 0, TDN_ABSENT)) return false;
  }
  return true;
}

}  // namespace todana
