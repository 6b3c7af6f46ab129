// Reads of a session: of the newest committed state, and of snapshots.
#include "Session.h"

#include "../Kyoto/TreeReader.h"
#include "RecordReader.h"

namespace todana {

uint64_t Session::snapshotCount(Snapshot &snapshot, uint32_t id) {
  return snapshotPart(snapshot, keyspace(&snapshot, id)).count;
}

// Reads the next row id from the part's file, because every commit stores it in each file that it puts rows into.
uint64_t Session::snapshotRowBound(Snapshot &snapshot, uint32_t id) {
  Keyspace &keyspace = this->keyspace(&snapshot, id);
  if (!keyspace.hasRows()) throw Failure(TDN_INVALID, "the keyspace has no row ids");
  const SnapshotPart &part = snapshotPart(snapshot, keyspace);
  FileGroup::ReadLock lock(*group_);
  return part.file ? part.file->nextRow() : 1;
}

uint64_t Session::estimateRange(Snapshot *snapshot, uint32_t id, const KeyRange &range) {
  Keyspace &scanned = keyspace(snapshot, id, true);
  SnapshotPart *part = snapshot ? &snapshotPart(*snapshot, scanned) : nullptr;
  return table_->read(scanned, true, [&](const std::shared_ptr<const HashFile> &file) {
    if (snapshot) snapshot->check();
    if (part) return estimateCount(*part, range);
    SnapshotPart newest;
    newest.file = file;
    newest.count = countIn(scanned, file.get());
    return estimateCount(newest, range);
  });
}

SnapshotPart &Session::snapshotPart(Snapshot &snapshot, Keyspace &keyspace) {
  return table_->read(keyspace, true, [&](const std::shared_ptr<const HashFile> &file) -> SnapshotPart & {
    snapshot.check();
    SnapshotPart *fixed = snapshot.fixedPart(keyspace.id);
    return fixed ? *fixed : snapshot.part(keyspace.id, file, countIn(keyspace, file.get()), keyspace.contents);
  });
}

namespace {

uint32_t keyGenerationOf(const Keyspace &keyspace, const SnapshotPart *part) {
  return (part ? part->contents : keyspace.contents).keyGeneration;
}

}  // namespace

void Session::getRows(
  Snapshot *snapshot, uint32_t id, const uint64_t *rows, size_t rowCount, ChunkWriter &chunk) {
  Keyspace &keyspace = this->keyspace(snapshot, id);
  if (!keyspace.hasRows()) throw Failure(TDN_INVALID, "the keyspace has no row ids");
  SnapshotPart *part = snapshot ? &snapshotPart(*snapshot, keyspace) : nullptr;
  size_t next = 0;
  bool hasRoom = true;
  while (next < rowCount && hasRoom) {
    hasRoom = table_->read(keyspace, true, [&](const std::shared_ptr<const HashFile> &file) {
      if (snapshot) snapshot->check();
      const bool isSealed = keyGenerationOf(keyspace, part) != 0;
      if (next > 0 && isSealed != chunk.isSealed()) {
        // The keyspace was encrypted or decrypted between two steps. All records of a chunk must be of one kind, so
        // start again.
        chunk.clear();
        next = 0;
      }
      chunk.setSealed(isSealed);
      return RecordReader(file.get(), snapshot, part).addRows(chunk, rows, rowCount, next);
    });
  }
}

void Session::getKey(Snapshot *snapshot, uint32_t id, std::string_view name, ChunkWriter &chunk) {
  Keyspace &keyspace = this->keyspace(snapshot, id);
  if (keyspace.hasRows()) throw Failure(TDN_INVALID, "the keyspace has row ids, not keys of bytes");
  if (name.empty() || name.size() > kMaximumKeyLength) throw Failure(TDN_LIMIT, "a key must have 1 to 1,000 bytes");
  SnapshotPart *part = snapshot ? &snapshotPart(*snapshot, keyspace) : nullptr;
  table_->read(keyspace, true, [&](const std::shared_ptr<const HashFile> &current) {
    if (snapshot) snapshot->check();
    const uint32_t keyGeneration = keyGenerationOf(keyspace, part);
    const StorageKey key(keyRing(), keyGeneration, keyspace, name);
    chunk.setSealed(keyGeneration != 0);
    RecordReader reader(current.get(), snapshot, part);
    if (!reader.file()) {
      chunk.add(0, {}, 0, TDN_ABSENT);
    } else if (!keyspace.isTree()) {
      reader.addKey(chunk, key.view());
    } else if (auto old = part ? part->changedInOrder.find(name) : decltype(part->changedInOrder.find(name))();
               part && old != part->changedInOrder.end()) {
      reader.addOld(chunk, 0, old->second);
    } else {
      TreeFinder finder(*reader.file());
      std::string_view value;
      const bool exists = finder.find(name, value);
      if (exists) {
        chunk.add(0, {}, value.data(), value.size());
      } else {
        chunk.add(0, {}, 0, TDN_ABSENT);
      }
    }
  });
}

}  // namespace todana
