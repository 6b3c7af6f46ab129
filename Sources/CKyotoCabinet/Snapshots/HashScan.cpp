#include "HashScan.h"

#include "StepLimit.h"

namespace todana {

bool HashScan::step(ChunkWriter &chunk) {
  const HashFile *file = part_.file.get();
  bool hasChanges = !part_.changed.empty();
  StepLimit limit;
  size_t start = chunk.byteCount();
  while (offset_ < part_.end) {
    HashBlock block;
    try {
      file->readBlock(offset_, block);
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      if (chunk.sliceCount() > 0) return false;  // first what was read before
      offset_ = nextRecordAfter(offset_);
      throw;
    }
    bool isAdded = true;
    if (hasChanges) {
      auto old = part_.changedAt.find(offset_);
      if (old != part_.changedAt.end()) {
        isAdded = addOld(chunk, *old->second);
      } else if (!block.isFree) {
        isAdded = addRecord(chunk, block);
      }
    } else if (!block.isFree) {
      isAdded = addRecord(chunk, block);
    }
    if (!isAdded) return false;
    offset_ += block.size;
    if (limit.isReached(chunk.byteCount() - start)) return true;
  }
  return false;
}

// The first place after a damaged block that some chain knows as its key's record. What merely looks like a record
// does not count: free blocks keep the bytes of old ones.
int64_t HashScan::nextRecordAfter(int64_t offset) const {
  const HashFile &file = *part_.file;
  const int64_t step = int64_t{1} << file.alignmentPower();
  for (offset += step; offset < part_.end; offset += step) {
    try {
      HashBlock block, found;
      file.readBlock(offset, block);
      if (block.isFree) continue;
      file.verifyKey(block);
      if (file.find(block.key, block.keyLength, found) && found.offset == offset) return offset;
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      // A page with a wrong checksum (the layer below names no structure) holds nothing to trust: on to the next one.
      if (failure.structure == 0 && failure.page == offset / kPageSize) offset = (failure.page + 1) * kPageSize - step;
    }
  }
  return part_.end;
}

bool HashScan::addOld(ChunkWriter &chunk, const std::string &key) const {
  const OldRecord &old = part_.changed.find(key)->second;
  uint64_t row = 0;
  if (hasRows_) RowKey::parse(key.data(), key.size(), &row);
  char *value = chunk.add(row, hasRows_ ? std::string_view() : key, old.length, TDN_FOUND);
  if (value) snapshot_.readOldValue(old, value);
  return value;
}

bool HashScan::addRecord(ChunkWriter &chunk, const HashBlock &record) const {
  uint64_t row = 0;
  std::string_view key;
  try {
    part_.file->verifyKey(record);
    if (hasRows_) {
      if (!RowKey::parse(record.key, record.keyLength, &row)) return chunk.add(0, {}, 0, TDN_RECORD_DAMAGED);
    } else {
      key = {record.key, record.keyLength};
    }
    if (!part_.changed.empty() && part_.changed.count(std::string(record.key, record.keyLength)) > 0) return true;
    part_.file->verifyValue(record);
  } catch (const Failure &failure) {
    // The next record is known, so the scan goes on.
    if (failure.code != TDN_DAMAGED) throw;
    return chunk.add(row, key, 0, TDN_RECORD_DAMAGED);
  }
  return chunk.add(row, key, record.value, record.valueLength);
}

}  // namespace todana
