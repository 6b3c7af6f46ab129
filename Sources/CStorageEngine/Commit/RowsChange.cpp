#include "RowsChange.h"

namespace todana {

RowsChange::RowsChange(RecordsChange &records, const Batch &batch, uint64_t firstNewRow)
    : records_(records), batch_(batch), firstNewRow_(firstNewRow), hasPacks_(records.file().packedRows().exist) {}

namespace {

// Returns the end of the changes, from `first` on, that concern rows of the same pack.
size_t groupEnd(const Batch &batch, size_t first, size_t end) {
  const uint64_t number = packNumber(batch.change(first).key);
  size_t next = first + 1;
  while (next < end && packNumber(batch.change(next).key) == number) next++;
  return next;
}

}  // namespace

uint64_t RowsChange::recordCount(const Batch &batch, size_t first, size_t end) {
  uint64_t count = 0;
  while (first < end) {
    const size_t next = groupEnd(batch, first, end);
    uint64_t puts = 0, byteCount = 0;
    for (; first < next; first++) {
      if (batch.change(first).kind != TDN_PUT) continue;
      puts++;
      byteCount += batch.change(first).value_length;
    }
    count += puts >= kFewestPackedRows && byteCount <= kLargestPack ? 1 : puts;
  }
  return count;
}

void RowsChange::change(const BatchRun &run) {
  // Groups whose records are fetched together, so that their memory accesses overlap.
  Group groups[kHashGroupSize];
  for (size_t next = run.first; next < run.end;) {
    size_t count = 0;
    for (size_t changes = 0; next < run.end && changes < kHashGroupSize; count++) {
      Group &group = groups[count];
      group.first = next;
      group.end = next = groupEnd(batch_, next, run.end);
      group.number = packNumber(batch_.change(group.first).key);
      PackKey key(group.number);
      group.place = records_.file().place(key.bytes, key.length);
      records_.file().prefetchBucket(group.place);
      if (group.size() >= kFewestPackedRows) {
        changes++;
        continue;
      }
      changes += group.size();
      for (size_t index = group.first; index < group.end; index++) {
        RowKey rowKey(batch_.change(index).key);
        records_.file().prefetchBucket(records_.file().place(rowKey.bytes, rowKey.length));
      }
    }
    for (size_t index = 0; index < count; index++) records_.file().prefetchRecord(groups[index].place);
    for (size_t index = 0; index < count; index++) changeGroup(groups[index]);
  }
}

void RowsChange::changeGroup(const Group &group) {
  size_t index = group.first;
  try {
    RecordsChange::Found pack;
    const bool mayBePacked = hasPacks_ && group.number << kPackPower < firstNewRow_;
    if (mayBePacked || group.size() >= kFewestPackedRows) {
      PackKey key(group.number);
      pack = records_.find({key.bytes, key.length}, group.place);
    }
    if (group.size() >= kFewestPackedRows && changeAsPack(group, pack)) return;
    for (; index < group.end; index++) {
      const tdn_change &change = batch_.change(index);
      const int packed = packIndex(change.key);
      if (pack.exists && openPack(records_.file(), pack.record).contains(packed)) {
        changeInPack(group, pack, change);
      } else {
        changeSingle(change);
      }
      // The write may have moved the mapping of the file.
      if (pack.exists) records_.file().readBlock(pack.record.offset, pack.record);
    }
  } catch (Failure &failure) {
    failure.hasRow = true;
    failure.row = batch_.change(std::min(index, group.end - 1)).key;
    throw;
  }
}

// Writes the pack again with the group's changes, except for rows with records of their own. Returns false, and changes
// nothing, if too few of the changes concern the pack. Does the same if the rows are too large for a pack.
bool RowsChange::changeAsPack(const Group &group, const RecordsChange::Found &found) {
  const HashFile &file = records_.file();
  RowPack old;
  if (found.exists) old = openPack(file, found.record);
  const tdn_change *puts[kPackCapacity] = {};
  uint32_t changed = 0, singles = 0;
  size_t packedChanges = 0;
  for (size_t index = group.first; index < group.end; index++) {
    const tdn_change &change = batch_.change(index);
    const int packed = packIndex(change.key);
    bool isSingle = false;
    if (!old.contains(packed) && change.key < firstNewRow_) {
      RowKey key(change.key);
      HashBlock record;
      isSingle = file.findKey(key.bytes, key.length, file.place(key.bytes, key.length), record);
    }
    changed |= 1U << packed;
    if (isSingle) {
      singles |= 1U << packed;
    } else {
      if (change.kind == TDN_PUT) puts[packed] = &change;
      packedChanges++;
    }
  }
  if (packedChanges < kFewestPackedRows) return false;
  builder_.begin();
  for (int index = 0; index < kPackCapacity; index++) {
    if (puts[index]) {
      if (!builder_.add(index, value(*puts[index]))) return false;
    } else if (old.contains(index) && !(changed >> index & 1)) {
      if (!builder_.add(index, packedRow(file, found.record, old, index))) return false;
    }
  }
  const int oldSurplus = found.exists ? old.rowCount() - 1 : 0;
  PackKey key(group.number);
  RecordsChange::Found place = found;
  if (singles != 0) {
    for (size_t index = group.first; index < group.end; index++) {
      const tdn_change &change = batch_.change(index);
      if (singles >> packIndex(change.key) & 1) changeSingle(change);
    }
    // Search again: the changes of single records may have changed the pack's chain.
    place = records_.find({key.bytes, key.length}, group.place);
  }
  if (builder_.rowCount() == 0) {
    records_.remove({key.bytes, key.length}, group.place, place);
    records_.writer().addSurplusRows(-oldSurplus);
  } else {
    records_.put({key.bytes, key.length}, group.place, place, builder_.finish());
    records_.writer().addSurplusRows(builder_.rowCount() - 1 - oldSurplus);
  }
  return true;
}

// Changes a row in a pack.
void RowsChange::changeInPack(const Group &group, RecordsChange::Found &found, const tdn_change &change) {
  const HashFile &file = records_.file();
  const int index = packIndex(change.key);
  RowPack pack = openPack(file, found.record);
  std::string_view old = packedRow(file, found.record, pack, index);
  PackKey key(group.number);
  const char *oldSlack = pack.slack(index);
  const size_t slotLength = old.size() + static_cast<uint8_t>(*oldSlack);
  if (change.kind == TDN_PUT && change.value_length <= slotLength &&
      slotLength - change.value_length <= RowPack::kMostSlack) {
    const char slack = static_cast<char>(slotLength - change.value_length);
    const int64_t slackOffset = file.offset(oldSlack);
    records_.willOverwrite({key.bytes, key.length}, found.record);
    if (slack != *oldSlack) records_.writer().overwrite(slackOffset, {&slack, 1});
    records_.writer().overwrite(file.offset(old.data()), value(change));
    return;
  }
  if (pack.rowCount() == 1) {
    records_.remove({key.bytes, key.length}, group.place, found);
    found.exists = false;
  } else {
    records_.willOverwrite({key.bytes, key.length}, found.record);
    const uint32_t rows = pack.rows() & ~(1U << index);
    records_.writer().overwrite(
      file.offset(found.record.value) + static_cast<int64_t>(RowPack::kRowsOffset),
      {reinterpret_cast<const char *>(&rows), sizeof(rows)});
    records_.writer().addSurplusRows(-1);
  }
  if (change.kind == TDN_PUT) changeSingle(change);
}

void RowsChange::changeSingle(const tdn_change &change) {
  RowKey rowKey(change.key);
  std::string_view key(rowKey.bytes, rowKey.length);
  HashFile::Place place = records_.file().place(key.data(), key.size());
  RecordsChange::Found found = records_.find(key, place);
  if (change.kind == TDN_REMOVE) {
    records_.remove(key, place, found);
  } else {
    records_.put(key, place, found, value(change));
  }
}

}  // namespace todana
