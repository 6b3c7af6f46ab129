#include "KeyspaceWriter.h"

#include "NameKeyspaceWriter.h"
#include "RowKeyspaceWriter.h"
#include "TreeKeyspaceWriter.h"

namespace todana {

namespace {

// The number of records per bucket above which a commit builds a larger file. In the background, a larger file is built
// above two records per bucket. Chains are trees, so overload costs little: a commit builds only if its own records
// would overload the file badly.
constexpr uint64_t kOverloaded = 8;

}  // namespace

std::unique_ptr<KeyspaceWriter> KeyspaceWriter::make(
  Commit &commit, Batch &batch, Expectations &expectations, BatchRun &run) {
  if (run.keyspace->isTree()) return std::make_unique<TreeKeyspaceWriter>(commit, batch, expectations, run);
  if (run.keyspace->hasRows()) return std::make_unique<RowKeyspaceWriter>(commit, batch, expectations, run);
  return std::make_unique<NameKeyspaceWriter>(commit, batch, expectations, run);
}

void KeyspaceWriter::check() {
  std::shared_ptr<const HashFile> file;
  if (!run_.isCleared) file = commit_.state().table.file(keyspace());
  if (file && file->count() > 0) return checkChanges(*file);
  for (size_t index = run_.first; index < run_.end; index++) expectations_.check(index, false, {});
}

bool KeyspaceWriter::write() {
  // The former file of a cleared tree need not be readable. Of rows, the next row id must be known.
  const bool isReplaced = run_.isCleared && keyspace().isTree();
  const std::shared_ptr<const HashFile> current =
    isReplaced ? commit_.replacedFile(keyspace()) : commit_.state().table.file(keyspace());
  if (!prepare()) return false;
  // There are no records, and the batch puts none.
  if (keyspace().fileNumber == 0 && run_.putCount == 0) return false;
  Readers readers = commit_.snapshotReaders(keyspace(), current);
  commit_.touch(keyspace());
  const uint64_t nextRow = current && keyspace().hasRows() ? current->nextRow() : 0;
  const std::shared_ptr<const HashFile> file = fileFor(current);
  if (file != current) {
    commit_.replaceFile(keyspace(), file);
    readers.clear();
  }
  writeChanges(*file, readers, nextRow);
  return keyspace().needsMaintenance(*file);
}

// MARK: Files

// Returns the file for the changes. Creates a new file if there is none or if all records are removed. Builds a larger
// one if the current file would be far too small.
std::shared_ptr<const HashFile> KeyspaceWriter::fileFor(std::shared_ptr<const HashFile> current) {
  if (run_.isCleared && keyspace().fileNumber != 0) {
    // An empty file replaces the one with the records, which snapshots can still read.
    commit_.noteCleared(keyspace());
    return emptyFile();
  }
  if (!current) return emptyFile();
  return keyspace().isTree() ? current : largerFile(std::move(current));
}

std::shared_ptr<const HashFile> KeyspaceWriter::emptyFile() { return commit_.createFile(keyspace(), putRecordCount()); }

std::shared_ptr<const HashFile> KeyspaceWriter::largerFile(std::shared_ptr<const HashFile> current) {
  const uint64_t bucketCount = static_cast<uint64_t>(current->bucketCount());
  if (run_.putCount <= bucketCount) return current;
  const uint64_t putCount = putRecordCount(), count = current->count();
  if (putCount <= bucketCount) return current;
  if (count == 0) return emptyFile();
  if (count + putCount <= kOverloaded * bucketCount) return current;
  try {
    return copy(*current, count + putCount);
  } catch (const Failure &failure) {
    // A record cannot be copied. The batch may not need this record, so the changes are made in the current file.
    if (failure.code != TDN_DAMAGED) throw;
    return current;
  }
}

std::shared_ptr<const HashFile> KeyspaceWriter::copy(const HashFile &from, uint64_t recordCount) {
  std::shared_ptr<const HashFile> target = commit_.createFile(keyspace(), recordCount);
  FreeBlockPool pool;
  HashWriter &writer = commit_.state().writer;
  try {
    writer.begin(*target, pool);
    HashBlock block;
    for (int64_t offset = from.recordStart(); offset < from.end(); offset += block.size) {
      from.readBlock(offset, block);
      if (block.isFree) continue;
      from.verifyKey(block);
      from.verifyValue(block);
      writer.put(
        block.key, block.keyLength, target->place(block.key, block.keyLength), block.value, block.valueLength);
    }
    writer.setPackedRows(from.packedRows());
    writer.end(from.nextRow());
  } catch (...) {
    writer.abandon();
    commit_.state().group.dropFile(target->file());
    throw;
  }
  return target;
}

// MARK: Contents

KeyspaceDigest &KeyspaceWriter::emptyDigest() {
  Keyspace &keyspace = this->keyspace();
  const uint32_t keyGeneration = keyspace.contents.keyGeneration;
  if (!keyspace.digest || keyspace.digest->keyGeneration() != keyGeneration) {
    keyspace.digest = std::make_unique<KeyspaceDigest>(ring(), keyGeneration, keyspace.id);
  }
  // Discard terms that a failed commit may have left in either digest.
  keyspace.digest->take();
  if (keyspace.rekeyed) keyspace.rekeyed->digest.take();
  return *keyspace.digest;
}

void KeyspaceWriter::setContents(uint64_t count, const KeyspaceDigest::Sum &sum) {
  Keyspace &keyspace = this->keyspace();
  DigestEntry contents = keyspace.contents;
  contents.count = count;
  for (size_t index = 0; index < sum.size(); index++) contents.digest[index] ^= sum[index];
  commit_.setContents(keyspace, contents);
  if (keyspace.rekeyed) commit_.noteRekeyed(keyspace, keyspace.rekeyed->digest.take());
}

}  // namespace todana
