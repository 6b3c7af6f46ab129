#include "Snapshot.h"

#include <algorithm>
#include <new>

namespace todana {

void SnapshotPart::noteCompacted(Range range) {
  const auto isBefore = [](const Range &one, int64_t start) { return one.end < start; };
  auto first = std::lower_bound(compacted.begin(), compacted.end(), range.start, isBefore);
  auto last = first;
  for (; last != compacted.end() && last->start <= range.end; ++last) {
    range.start = std::min(range.start, last->start);
    range.end = std::max(range.end, last->end);
  }
  compacted.insert(compacted.erase(first, last), range);
}

const SnapshotPart::Range *SnapshotPart::compactedRange(int64_t offset) const {
  for (const Range &range : compacted) {
    if (offset < range.start) break;
    if (offset < range.end) return &range;
  }
  return nullptr;
}

SnapshotPart &Snapshot::part(
  uint32_t keyspace, const std::shared_ptr<const HashFile> &file, uint64_t count, const DigestEntry &contents) {
  MutexLock lock(mutex_);
  std::unique_ptr<SnapshotPart> &part = parts_[keyspace];
  if (!part) {
    part = std::make_unique<SnapshotPart>();
    part->file = file;
    part->end = file ? file->end() : 0;
    part->count = count;
    part->contents = contents;
  }
  return *part;
}

SnapshotPart *Snapshot::fixedPart(uint32_t keyspace) {
  MutexLock lock(mutex_);
  auto found = parts_.find(keyspace);
  return found == parts_.end() ? nullptr : found->second.get();
}

OldRecord Snapshot::store(int64_t offset, const char *value, size_t length) {
  return {offset, oldValues_.append(value, length), length};
}

void Snapshot::keep(SnapshotPart &part, std::string_view key, const HashBlock &record) {
  if (failure_) return;
  if (record.offset >= part.end) {
    // The record was appended after the snapshot was opened, so the key was absent. From now on the record may be at
    // any offset.
    keepAbsent(part, key);
    return;
  }
  try {
    auto [entry, isNew] = part.changed.try_emplace(std::string(key));
    if (!isNew) return;
    entry->second = store(record.offset, record.value, record.valueLength);
    part.changedAt.emplace(record.offset, &entry->first);
  } catch (const Failure &failure) {
    failure_ = failure;
  } catch (const std::bad_alloc &) {
    failure_ = Failure(TDN_NO_MEMORY, "there is no memory for a snapshot's old values");
  }
}

void Snapshot::keepAbsent(SnapshotPart &part, std::string_view key) {
  if (failure_) return;
  try {
    part.changed.try_emplace(std::string(key));
  } catch (const std::bad_alloc &) {
    failure_ = Failure(TDN_NO_MEMORY, "there is no memory for a snapshot's old values");
  }
}

void Snapshot::keepInOrder(SnapshotPart &part, std::string_view key, const char *value, size_t length) {
  if (failure_) return;
  try {
    auto [entry, isNew] = part.changedInOrder.try_emplace(std::string(key));
    if (isNew && value) entry->second = store(0, value, length);
  } catch (const Failure &failure) {
    failure_ = failure;
  } catch (const std::bad_alloc &) {
    failure_ = Failure(TDN_NO_MEMORY, "there is no memory for a snapshot's old values");
  }
}

void Snapshot::interrupt() {
  MutexLock lock(mutex_);
  failure_ = Failure(TDN_SNAPSHOT_ENDED, "the store was closed or reopened, which ended the snapshot");
  parts_.clear();
}

}  // namespace todana
