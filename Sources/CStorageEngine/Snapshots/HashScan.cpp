#include "HashScan.h"

#include <algorithm>

#include "StepLimit.h"

namespace todana {

bool HashScan::step(ChunkWriter &chunk) {
  StepLimit limit;
  size_t start = chunk.byteCount();
  while (offset_ < part_.end) {
    if (const SnapshotPart::Range *range = part_.compactedRange(offset_)) {
      if (!addNextOfRange(chunk, *range)) return false;
      if (limit.isReached(chunk.byteCount() - start)) return true;
      continue;
    }
    if (offset_ >= prefetched_ - kPrefetch) prefetch();
    HashBlock block;
    if (hasLostTrack_ || isUnsure_) {
      if (!addRecovered(chunk)) return false;
      continue;
    }
    try {
      part_.file->readBlock(offset_, block);
      if (!addBlock(chunk, block)) return false;
      offset_ += block.size;
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      if (!addRecovered(chunk)) return false;
    }
    if (limit.isReached(chunk.byteCount() - start)) return true;
  }
  return false;
}

// Prefetches, so that the prefetched part ends one to two windows ahead of the scan.
void HashScan::prefetch() {
  const int64_t start = std::max(offset_, prefetched_);
  prefetched_ = offset_ + 2 * kPrefetch;
  part_.file->file()->prefetch(start, std::min(prefetched_, part_.end) - start);
}

// Adds the next old value of a compacted range, or moves on to the end of the range.
bool HashScan::addNextOfRange(ChunkWriter &chunk, const SnapshotPart::Range &range) {
  auto old = part_.changedAt.lower_bound(offset_);
  if (old == part_.changedAt.end() || old->first >= range.end) {
    offset_ = range.end;
    return true;
  }
  // If a pack did not fit into the chunk, the next step continues it here.
  offset_ = old->first;
  if (!addOld(chunk, *old->second)) return false;
  offset_++;
  return true;
}

// Adds the content of a block on a damaged page, and moves to the end of the block. Returns false if the chunk is full,
// or must be delivered before damage is reported. Throws Failure(TDN_DAMAGED) after skipping a part in which no block
// can be read.
bool HashScan::addRecovered(ChunkWriter &chunk) {
  const HashRecovery &recovery = part_.file->recovery();
  HashRecovery::Block block;
  if (!hasLostTrack_ && recovery.readBlock(offset_, block) && recovery.isPlaced(block)) {
    const auto old = part_.changedAt.find(block.offset);
    const bool isAdded = old != part_.changedAt.end() ? addOld(chunk, *old->second) : block.isFree || addRecord(chunk, block);
    if (!isAdded) return false;
    if (block.isCertain && (!isUnsure_ || HashRecovery::isClear(block, starts()))) {
      isUnsure_ = isUnsure_ && !std::binary_search(starts().begin(), starts().end(), offset_);
      offset_ += block.size;
      return true;
    }
    hasLostTrack_ = !recovery.hasRightEnd(block, starts());
    offset_ = hasLostTrack_ ? recovery.leastEnd(block, starts()) : block.offset + block.size;
    isUnsure_ = !std::binary_search(starts().begin(), starts().end(), offset_);
    return true;
  }
  if (chunk.sliceCount() > 0) return false;
  skipDamage();
}

// Moves to the next block with a known start. The length of the damaged block is unknown, so only chains lead there.
// They are walked once, under the caller's read lock: outside of compacted ranges blocks do not move.
void HashScan::skipDamage() {
  const int64_t start = offset_;
  int64_t end = part_.end;
  for (const SnapshotPart::Range &range : part_.compacted) {
    if (range.start > offset_) end = std::min(end, range.start);
  }
  offset_ = part_.file->recovery().nextBlock(start, end, starts());
  packIndex_ = 0;
  hasLostTrack_ = false;
  isUnsure_ = false;
  Failure failure(
    TDN_DAMAGED,
    std::to_string(offset_ - start) + " bytes of the data file from byte " + std::to_string(start) +
      " on are damaged, so records may be missing; all records that are found are sound: restore a backup, or salvage "
      "the store",
    part_.file->file()->name());
  failure.keyspace = part_.file->keyspace();
  failure.page = start / kPageSize;
  throw failure;
}

const std::vector<int64_t> &HashScan::starts() {
  if (!starts_) starts_ = part_.file->recovery().reachableRecords();
  return *starts_;
}

bool HashScan::addBlock(ChunkWriter &chunk, const HashBlock &block) {
  if (!part_.changed.empty()) {
    auto old = part_.changedAt.find(block.offset);
    if (old != part_.changedAt.end()) return addOld(chunk, *old->second);
  }
  return block.isFree || addRecord(chunk, block);
}

bool HashScan::addOld(ChunkWriter &chunk, const std::string &key) {
  const OldRecord &old = part_.changed.find(key)->second;
  uint64_t row = 0, number;
  if (hasRows_ && PackKey::parse(key.data(), key.size(), &number)) {
    std::string value(old.length, '\0');
    snapshot_.readOldValue(old, value.data());
    RowPack pack;
    uint32_t rows = pack.open(value.data(), value.size()) ? pack.rows() : UINT32_MAX;
    return addPackedRows(chunk, number, rows, [&](int index, std::string_view &bytes) {
      return pack.rows() != 0 && pack.row(index, bytes);
    });
  }
  if (hasRows_) RowKey::parse(key.data(), key.size(), &row);
  char *value = chunk.add(row, hasRows_ ? std::string_view() : key, old.length, TDN_FOUND);
  if (value) snapshot_.readOldValue(old, value);
  return value;
}

// Tests whether a later commit has changed or added the record, so that the snapshot must not read it.
bool HashScan::isSkipped(std::string_view key) const {
  return !part_.changed.empty() && part_.changed.count(std::string(key)) > 0;
}

bool HashScan::addRecord(ChunkWriter &chunk, const HashBlock &record) {
  part_.file->verifyKey(record);
  if (isSkipped({record.key, record.keyLength})) return true;
  uint64_t row = 0, number;
  std::string_view key;
  if (!hasRows_) {
    key = {record.key, record.keyLength};
  } else if (PackKey::parse(record.key, record.keyLength, &number)) {
    return addPack(chunk, number, record);
  } else if (!RowKey::parse(record.key, record.keyLength, &row)) {
    return chunk.add(0, {}, 0, TDN_RECORD_DAMAGED);
  }
  part_.file->verifyValue(record);
  const bool isAdded = chunk.add(row, key, record.value, record.valueLength);
  if (isAdded) part_.file->releaseValue({record.value, record.valueLength});
  return isAdded;
}

// Adds a record on a damaged page, if single reads of its rows or its key find it, too.
bool HashScan::addRecord(ChunkWriter &chunk, const HashRecovery::Block &record) {
  if (isSkipped(record.keyBytes)) return true;
  const HashRecovery::Outcome place = part_.file->recovery().findAgain(record, part_.end);
  if (place == HashRecovery::Outcome::absent) return true;
  const bool isFound = place == HashRecovery::Outcome::found;
  const std::string_view value(record.value, record.valueLength);
  uint64_t row = 0, number;
  std::string_view key;
  bool isSound;
  if (!hasRows_) {
    key = record.keyBytes;
    isSound = isFound && part_.file->recovery().isSound(key, value);
  } else if (PackKey::parse(record.keyBytes.data(), record.keyBytes.size(), &number)) {
    return addRecoveredPack(chunk, number, record, isFound);
  } else if (!RowKey::parse(record.keyBytes.data(), record.keyBytes.size(), &row)) {
    return chunk.add(0, {}, 0, TDN_RECORD_DAMAGED);
  } else {
    isSound = isFound && part_.file->recovery().isSound(row, value);
  }
  const bool isAdded =
    isSound ? chunk.add(row, key, value.data(), value.size()) : chunk.add(row, key, 0, TDN_RECORD_DAMAGED) != nullptr;
  if (isAdded) part_.file->releaseValue(value);
  return isAdded;
}

bool HashScan::addPack(ChunkWriter &chunk, uint64_t number, const HashBlock &record) {
  part_.file->verifyValue(record);
  const RowPack pack = openPack(*part_.file, record);
  if (packIndex_ == 0 && addWholePack(chunk, number << kPackPower, pack)) return true;
  // Add row by row, because missing room or damage concerns single rows.
  return addPackedRows(chunk, number, pack.rows(), [&](int index, std::string_view &bytes) {
    return pack.row(index, bytes);
  });
}

bool HashScan::addRecoveredPack(
  ChunkWriter &chunk, uint64_t number, const HashRecovery::Block &record, bool isFound) {
  HashRecovery &recovery = part_.file->recovery();
  HashRecovery::Pack pack;
  const bool isOpen = recovery.openPack(record, pack);
  uint32_t found = 0, damaged = 0;
  for (int index = 0; index < kPackCapacity; index++) {
    std::string_view value;
    const uint64_t row = (number << kPackPower) + static_cast<uint64_t>(index);
    switch (recovery.findRow(row, pack, isOpen, part_.end, value)) {
      case HashRecovery::Outcome::absent: break;
      case HashRecovery::Outcome::found: found |= 1U << index; break;
      case HashRecovery::Outcome::damaged: damaged |= 1U << index; break;
    }
  }
  if (!isFound) {
    damaged |= found;
    found = 0;
  }
  return addPackedRows(chunk, number, found | damaged, [&](int index, std::string_view &bytes) {
    return (found >> index & 1) && pack.row(index, bytes);
  });
}

// Adds all rows of a pack together. Returns false, and adds nothing, if they do not fit or the pack is damaged.
bool HashScan::addWholePack(ChunkWriter &chunk, uint64_t firstRow, const RowPack &pack) {
  char *bytes = chunk.reserve(static_cast<size_t>(pack.rowCount()), pack.body().size());
  if (!bytes || (firstRow == 0 && pack.contains(0))) return false;  // row ids start at 1
  size_t count = 0;
  for (uint32_t rest = pack.rows(); rest != 0; rest &= rest - 1) {
    const int index = __builtin_ctz(rest);
    std::string_view row;
    if (!pack.row(index, row)) return false;
    const size_t offset = static_cast<size_t>(row.data() - pack.body().data());
    chunk.putReserved(count++, firstRow + static_cast<uint64_t>(index), offset, row.size());
  }
  std::memcpy(bytes, pack.body().data(), pack.body().size());
  chunk.addReserved(count, pack.body().size());
  return true;
}

// Adds the pack's rows from `packIndex_` on. `row` returns the bytes of a row, or false if they are damaged. If even
// the list of rows is damaged, reports all rows that the pack may have had.
template <class Row>
bool HashScan::addPackedRows(ChunkWriter &chunk, uint64_t number, uint32_t rows, Row row) {
  const uint64_t firstRow = number << kPackPower, nextRow = part_.file->nextRow();
  for (; packIndex_ < kPackCapacity; packIndex_++) {
    const uint64_t id = firstRow + static_cast<uint64_t>(packIndex_);
    if (!(rows >> packIndex_ & 1) || id == 0 || id >= nextRow) continue;
    std::string_view bytes;
    const bool isAdded = row(packIndex_, bytes) ? chunk.add(id, {}, bytes.data(), bytes.size())
                                                : chunk.add(id, {}, 0, TDN_RECORD_DAMAGED) != nullptr;
    if (!isAdded) return false;
  }
  packIndex_ = 0;
  return true;
}

}  // namespace todana
