#include "RecordReader.h"

#include "../Kyoto/HashRecovery.h"
#include "../Kyoto/RowFinder.h"
#include "../Snapshots/StepLimit.h"

namespace todana {

using Outcome = HashRecovery::Outcome;

bool RecordReader::addKey(ChunkWriter &chunk, std::string_view key) const {
  if (const OldRecord *old = oldRecord(key)) return addOld(chunk, 0, *old);
  std::string_view value;
  Outcome outcome;
  try {
    HashBlock record;
    outcome = findUnchanged(key, record) ? Outcome::found : Outcome::absent;
    value = {record.value, record.valueLength};
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    outcome = file_->recovery().findKey(key, part_ ? part_->end : file_->end(), value);
  }
  if (outcome == Outcome::found) return addFound(chunk, 0, value);
  return chunk.add(0, {}, 0, outcome == Outcome::absent ? TDN_ABSENT : TDN_RECORD_DAMAGED);
}

bool RecordReader::addRow(ChunkWriter &chunk, uint64_t row) const {
  PackKey packKey(packNumber(row));
  RowKey rowKey(row);
  std::string_view key(rowKey.bytes, rowKey.length);
  HashBlock record;
  try {
    if (const OldRecord *old = oldRecord({packKey.bytes, packKey.length})) {
      std::string buffer;
      if (auto value = oldPackedRow(*old, row, buffer)) return chunk.add(row, {}, value->data(), value->size());
    } else if (findUnchanged({packKey.bytes, packKey.length}, record)) {
      const RowPack pack = openPack(*file_, record);
      if (pack.contains(packIndex(row))) {
        const std::string_view value = packedRow(*file_, record, pack, packIndex(row));
        return chunk.add(row, {}, value.data(), value.size());
      }
    }
    if (const OldRecord *old = oldRecord(key)) return addOld(chunk, row, *old);
    if (!findUnchanged(key, record)) return chunk.add(row, {}, 0, TDN_ABSENT);
  } catch (const Failure &failure) {
    return addRecovered(chunk, row, failure);
  }
  return addFound(chunk, row, {record.value, record.valueLength});
}

// Returns a row of a pack whose old version the snapshot keeps; nothing if the pack has no such row. Throws
// Failure(TDN_DAMAGED).
std::optional<std::string_view> RecordReader::oldPackedRow(
  const OldRecord &old, uint64_t row, std::string &buffer) const {
  if (!old.exists()) return std::nullopt;
  buffer.resize(old.length);
  snapshot_->readOldValue(old, buffer.data());
  RowPack pack;
  std::string_view value;
  if (!pack.open(buffer.data(), buffer.size())) file_->damaged("a pack of rows is damaged", old.offset);
  if (!pack.contains(packIndex(row))) return std::nullopt;
  if (!pack.row(packIndex(row), value)) file_->damaged("a pack of rows is damaged", old.offset);
  return value;
}

bool RecordReader::addRecovered(ChunkWriter &chunk, uint64_t row, const Failure &failure) const {
  if (failure.code != TDN_DAMAGED) throw failure;
  HashRecovery &recovery = file_->recovery();
  const int64_t end = part_ ? part_->end : file_->end();
  std::string_view value;
  Outcome packed = Outcome::absent;
  const PackKey packKey(packNumber(row));
  if (const OldRecord *old = oldRecord({packKey.bytes, packKey.length})) {
    try {
      std::string buffer;
      if (auto kept = oldPackedRow(*old, row, buffer)) return chunk.add(row, {}, kept->data(), kept->size());
    } catch (const Failure &other) {
      if (other.code != TDN_DAMAGED) throw;
      packed = Outcome::damaged;
    }
  } else {
    packed = recovery.findPackedRow(row, end, value);
    if (packed == Outcome::found) return addFound(chunk, row, value);
  }
  const RowKey rowKey(row);
  if (const OldRecord *old = oldRecord({rowKey.bytes, rowKey.length})) return addOld(chunk, row, *old);
  const Outcome single = recovery.findRow(row, end, value);
  if (single == Outcome::found) return addFound(chunk, row, value);
  // A row id that was never reserved is absent, even if the file is damaged.
  const bool isAbsent = (packed == Outcome::absent && single == Outcome::absent) || row == 0 || row >= file_->nextRow();
  return chunk.add(row, {}, 0, isAbsent ? TDN_ABSENT : TDN_RECORD_DAMAGED);
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

const OldRecord *RecordReader::oldRecord(std::string_view key) const {
  if (!part_ || part_->changed.empty()) return nullptr;
  auto old = part_->changed.find(std::string(key));
  return old == part_->changed.end() ? nullptr : &old->second;
}

bool RecordReader::findUnchanged(std::string_view key, HashBlock &record) const {
  return file_->find(key.data(), key.size(), record) && (!part_ || record.offset < part_->end);
}

namespace {

// One step of reading rows, within one read lock.
class RowsStep {
 public:
  RowsStep(const RecordReader &reader, ChunkWriter &chunk)
      : reader_(reader), finder_(*reader.file()), chunk_(chunk), start_(chunk.byteCount()) {}

  // Adds rows from `next` on until the step is over. Returns false if the chunk is full.
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
      return reader_.addRecovered(chunk_, row, failure);
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
