#include "HashScan.h"

#include <algorithm>

#include "StepLimit.h"

namespace todana {

bool HashScan::step(ChunkWriter &chunk) {
  StepLimit limit;
  size_t start = chunk.byteCount();
  while (offset_ < part_.end) {
    HashBlock block;
    try {
      part_.file->readBlock(offset_, block);
      if (!addBlock(chunk, block)) return false;
    } catch (Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      // First what was read before; the next call meets the damage again.
      if (chunk.sliceCount() > 0) return false;
      skipDamage(failure.page);
      failure.structure = part_.file->structure();
      throw;
    }
    offset_ += block.size;
    if (limit.isReached(chunk.byteCount() - start)) return true;
  }
  return false;
}

// Goes to the next block whose start is known: without the length of the damaged one, only chains tell where it is.
// They are walked once, under the caller's read lock; blocks never move, so what they say stays right. A record on
// another damaged page counts: the next call throws for that page.
void HashScan::skipDamage(int64_t page) {
  if (!starts_) starts_ = reachableRecords();
  HashBlock block;
  auto next = std::upper_bound(starts_->begin(), starts_->end(), offset_);
  for (; next != starts_->end(); ++next) {
    try {
      part_.file->readBlock(*next, block);
      part_.file->verifyKey(block);
      break;
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      if (failure.page != page) break;
    }
  }
  offset_ = next == starts_->end() ? part_.end : *next;
}

std::vector<int64_t> HashScan::reachableRecords() const {
  std::vector<int64_t> found;
  for (int64_t bucket = 0; bucket < part_.file->bucketCount(); bucket++) part_.file->collectChain(bucket, found);
  std::sort(found.begin(), found.end());
  return found;
}

bool HashScan::addBlock(ChunkWriter &chunk, const HashBlock &block) const {
  if (!part_.changed.empty()) {
    auto old = part_.changedAt.find(block.offset);
    if (old != part_.changedAt.end()) return addOld(chunk, *old->second);
  }
  return block.isFree || addRecord(chunk, block);
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
  part_.file->verifyKey(record);
  uint64_t row = 0;
  std::string_view key;
  if (!hasRows_) {
    key = {record.key, record.keyLength};
  } else if (!RowKey::parse(record.key, record.keyLength, &row)) {
    return chunk.add(0, {}, 0, TDN_RECORD_DAMAGED);
  }
  if (!part_.changed.empty() && part_.changed.count(std::string(record.key, record.keyLength)) > 0) return true;
  try {
    part_.file->verifyValue(record);
  } catch (const Failure &failure) {
    // The record is known, and the next one, so the scan goes on.
    if (failure.code != TDN_DAMAGED) throw;
    return chunk.add(row, key, 0, TDN_RECORD_DAMAGED);
  }
  return chunk.add(row, key, record.value, record.valueLength);
}

}  // namespace todana
