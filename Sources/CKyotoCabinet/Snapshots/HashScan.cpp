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

// Stays one to two windows ahead of the scan.
void HashScan::prefetch() {
  const int64_t start = std::max(offset_, prefetched_);
  prefetched_ = offset_ + 2 * kPrefetch;
  part_.file->file()->prefetch(start, std::min(prefetched_, part_.end) - start);
}

// Adds the old value that comes next in a compacted range, or goes behind the range.
bool HashScan::addNextOfRange(ChunkWriter &chunk, const SnapshotPart::Range &range) {
  auto old = part_.changedAt.lower_bound(offset_);
  if (old == part_.changedAt.end() || old->first >= range.end) {
    offset_ = range.end;
    return true;
  }
  // A pack that did not fit is gone on with here.
  offset_ = old->first;
  if (!addOld(chunk, *old->second)) return false;
  offset_++;
  return true;
}

// Goes to the next block whose start is known: without the length of the damaged one, only chains tell where it is.
// They are walked once, under the caller's read lock; blocks move within compacted ranges only. A record on another
// damaged page counts: the next call throws for that page.
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
  packIndex_ = 0;
  int64_t start = next == starts_->end() ? part_.end : *next;
  for (const SnapshotPart::Range &range : part_.compacted) {
    if (range.start > offset_) start = std::min(start, range.start);
  }
  offset_ = start;
}

std::vector<int64_t> HashScan::reachableRecords() const {
  std::vector<int64_t> found;
  for (int64_t bucket = 0; bucket < part_.file->bucketCount(); bucket++) part_.file->collectChain(bucket, found);
  std::sort(found.begin(), found.end());
  return found;
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

bool HashScan::addRecord(ChunkWriter &chunk, const HashBlock &record) {
  part_.file->verifyKey(record);
  if (!part_.changed.empty() && part_.changed.count(std::string(record.key, record.keyLength)) > 0) return true;
  uint64_t row = 0, number;
  std::string_view key;
  if (!hasRows_) {
    key = {record.key, record.keyLength};
  } else if (PackKey::parse(record.key, record.keyLength, &number)) {
    return addPack(chunk, number, record);
  } else if (!RowKey::parse(record.key, record.keyLength, &row)) {
    return chunk.add(0, {}, 0, TDN_RECORD_DAMAGED);
  }
  try {
    part_.file->verifyValue(record);
  } catch (const Failure &failure) {
    // The record is known, and the next one, so the scan goes on.
    if (failure.code != TDN_DAMAGED) throw;
    return chunk.add(row, key, 0, TDN_RECORD_DAMAGED);
  }
  const bool isAdded = chunk.add(row, key, record.value, record.valueLength);
  if (isAdded) part_.file->releaseValue({record.value, record.valueLength});
  return isAdded;
}

bool HashScan::addPack(ChunkWriter &chunk, uint64_t number, const HashBlock &record) {
  auto isSound = [](auto body) {
    try {
      body();
      return true;
    } catch (const Failure &failure) {
      if (failure.code != TDN_DAMAGED) throw;
      return false;
    }
  };
  RowPack pack;
  if (packIndex_ == 0 && isSound([&] {
        part_.file->verifyValue(record);
        pack = openPack(*part_.file, record);
      }) && addWholePack(chunk, number << kPackPower, pack)) {
    return true;
  }
  // Row by row: what does not fit, and what is damaged, concerns single rows.
  uint32_t rows = isSound([&] { pack = openPack(*part_.file, record); }) ? pack.rows() : UINT32_MAX;
  return addPackedRows(chunk, number, rows, [&](int index, std::string_view &bytes) {
    return pack.rows() != 0 && isSound([&] { bytes = packedRow(*part_.file, record, pack, index); });
  });
}

// False, with nothing added, if there is not room for all of it, or if it is damaged.
bool HashScan::addWholePack(ChunkWriter &chunk, uint64_t firstRow, const RowPack &pack) {
  char *bytes = chunk.reserve(static_cast<size_t>(pack.rowCount()), pack.body().size());
  if (!bytes || (firstRow == 0 && pack.contains(0))) return false;  // there is no row 0
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

// Adds the pack's rows from `packIndex_` on; `row` gives the bytes of one, or false where they are damaged. Where not
// even the list of rows is readable, all that the pack may have had are reported.
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
