#include "KeyspaceLoader.h"

#include "../Keyspaces/PlainRecord.h"
#include "../Kyoto/TreeWriter.h"
#include "BatchConversion.h"
#include "RecordsChange.h"
#include "RowsChange.h"

namespace todana {

KeyspaceLoader::KeyspaceLoader(CommitState &state, Keyspace &keyspace, uint64_t recordCount)
    : state_(state), keyspace_(keyspace), isSealed_(keyspace.isSealed),
      digest_(state.ring.get(), keyspace.contents.keyGeneration, keyspace.id) {
  contents_.keyGeneration = keyspace.contents.keyGeneration;
  const uint32_t number = state_.table.takeFileNumber();
  HashFile::Shape shape;
  if (keyspace.isTree()) {
    shape = TreeReader::shape(state_.table.sealers(keyspace, isSealed_), recordCount);
  } else if (recordCount > static_cast<uint64_t>(shape.bucketCount)) {
    shape.bucketCount = HashFile::bucketCountFor(recordCount);
  }
  MutexLock lock(mutex_);
  file_ = HashFile::create(
    state_.group.createBuildingFile(number, FileTable::fileName(keyspace, number, isSealed_)), keyspace.id, shape);
}

void KeyspaceLoader::throwIfFailed() {
  if (failure_) std::rethrow_exception(failure_);
}

void KeyspaceLoader::noteFailure() {
  failure_ = std::current_exception();
  writer_.abandon();
}

void KeyspaceLoader::append(const tdn_batch &bytes) {
  Batch batch(bytes, keyspace_);
  MutexLock lock(mutex_);
  throwIfFailed();
  check(batch);
  try {
    for (const BatchRun &run : batch.runs()) {
      // Each batch leaves a readable file, because the next batch searches it.
      writer_.begin(*file_, pool_);
      put(batch, run);
      writer_.end(nextRow());
    }
  } catch (...) {
    noteFailure();
    throw;
  }
}

void KeyspaceLoader::check(const Batch &batch) {
  if (isFinished_) throw Failure(TDN_INVALID, "the keyspace is already loaded");
  for (const BatchRun &run : batch.runs()) {
    for (size_t index = run.first; index < run.end; index++) {
      const tdn_change &change = batch.change(index);
      if (change.kind != TDN_PUT || (change.expectation != TDN_EXPECT_ANY && change.expectation != TDN_EXPECT_ABSENT)) {
        throw Failure(TDN_INVALID, "only new records can be loaded into a keyspace");
      }
    }
    const tdn_change &first = batch.change(run.first);
    if (keyspace_.hasRows() ? first.key < nextRow_ : !lastKey_.empty() && batch.key(first) <= lastKey_) {
      throw Failure(TDN_INVALID, "records must be loaded in the order of their keys");
    }
  }
}

void KeyspaceLoader::put(Batch &batch, const BatchRun &run) {
  if (state_.ring && !keyspace_.isTree()) convertRecords(batch, run, keyspace_, state_.ring, digest_.keyGeneration());
  if (keyspace_.hasRows()) {
    putRows(batch, run);
  } else {
    if (keyspace_.isTree()) {
      putEntries(batch, run);
    } else {
      putNames(batch, run);
    }
    lastKey_ = batch.key(batch.change(run.end - 1));
  }
  contents_.count += run.putCount;
}

void KeyspaceLoader::putRows(const Batch &batch, const BatchRun &run) {
  const std::vector<Commit::Reader> noReaders;
  RecordsChange records(writer_, *file_, keyspace_, noReaders);
  RowsChange(records, batch, nextRow_).change(run);
  nextRow_ = run.lastRow + 1;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch.change(index);
    digest_.toggleRow(change.key, recordToken(batch.value(change), change.value_length));
  }
}

void KeyspaceLoader::putNames(const Batch &batch, const BatchRun &run) {
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch.change(index);
    const StorageKey key(state_.ring.get(), digest_.keyGeneration(), keyspace_, batch.key(change));
    writer_.put(
      key.data(), key.length(), file_->place(key.data(), key.length()), batch.value(change), change.value_length);
    digest_.toggleKey(key.view(), recordToken(batch.value(change), change.value_length));
  }
}

void KeyspaceLoader::putEntries(const Batch &batch, const BatchRun &run) {
  TreeWriter tree(*file_, writer_, nullptr);
  const TreeWriter::OldValue noOldValue = [](const char *, size_t) {};
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch.change(index);
    const std::string_view key = batch.key(change), value(batch.value(change), change.value_length);
    tree.put(key, value, noOldValue);
    digest_.toggleEntry(key, value);
  }
  tree.finish();
}

void KeyspaceLoader::finish() {
  MutexLock lock(mutex_);
  if (isFinished_) return;
  throwIfFailed();
  try {
    writer_.begin(*file_, pool_);
    // Even an empty tree has a root.
    if (keyspace_.isTree() && contents_.count == 0) TreeWriter(*file_, writer_, nullptr).finish();
    writer_.end(nextRow());
    writer_.storePool(*file_, pool_);
    state_.group.sealBuildingFile(file_->file());
  } catch (...) {
    noteFailure();
    throw;
  }
  contents_.digest = digest_.take();
  isFinished_ = true;
}

void KeyspaceLoader::adopt(Commit &commit) {
  MutexLock lock(mutex_);
  if (!isFinished_) throw Failure(TDN_INVALID, "the keyspace is not completely loaded");
  if (contents_.keyGeneration != state_.table.newKeyGeneration()) {
    throw Failure(TDN_INTERRUPTED, "the keys of the store were renewed while the keyspace was loaded: load it again");
  }
  state_.group.adoptFile(file_->file());
  commit.addKeyspace(keyspace_, file_, isSealed_, contents_);
}

}  // namespace todana
