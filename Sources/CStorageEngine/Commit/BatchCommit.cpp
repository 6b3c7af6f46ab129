#include "BatchCommit.h"

#include "../Keyspaces/RecordConversion.h"
#include "../Kyoto/HashRecovery.h"
#include "../Kyoto/TreeWriter.h"

namespace todana {

namespace {

// A larger file is built in the background at twice as many records as buckets. Chains are trees, so overload hurts
// gently, and a commit waits for one only where its own records would overload the file badly.
constexpr uint64_t kOverloaded = 8;

}  // namespace

void BatchCommit::apply() {
  commit_.begin();
  for (const BatchRun &run : batch_.runs()) {
    try {
      check(run);
    } catch (Failure &failure) {
      if (failure.keyspace == 0) failure.keyspace = run.keyspace->id;
      throw;
    }
  }
  if (!conflicts_.empty()) {
    std::sort(conflicts_.begin(), conflicts_.end());  // new rows were checked before the others
    throw Conflict();
  }
  for (BatchRun &run : batch_.runs()) {
    // What is only looked at is left alone.
    if (!run.hasChanges) continue;
    if (ring() && !run.keyspace->isTree()) convert(run);
    change(run);
  }
  commit_.finish();
}

// MARK: Checking

void BatchCommit::check(const BatchRun &run) {
  std::shared_ptr<const HashFile> file;
  if (!run.isCleared) file = commit_.state().table.file(*run.keyspace);
  if (!file || file->count() == 0) {
    for (size_t index = run.first; index < run.end; index++) checkOne(index, false, {});
  } else if (run.keyspace->isTree()) {
    checkTree(run, *file);
  } else if (run.keyspace->hasRows()) {
    checkRows(run, *file);
  } else {
    checkKeys(run, *file);
  }
}

void BatchCommit::checkRows(const BatchRun &run, const HashFile &file) {
  // Row ids from here on were never handed out before the last commit, so there is no record to look for.
  const uint64_t firstNewRow = file.nextRow();
  RowFinder finder(file);
  size_t members[kHashGroupSize], memberCount = 0;
  auto checkGroup = [&] {
    finder.fetch(memberCount);
    for (size_t member = 0; member < memberCount; member++) {
      std::string_view value;
      const bool exists = findRow(finder, member, batch_.change(members[member]), file, value);
      checkOne(members[member], exists, value);
    }
    memberCount = 0;
  };
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.key >= firstNewRow) {
      checkOne(index, false, {});
      continue;
    }
    finder.add(memberCount, change.key);
    members[memberCount++] = index;
    if (memberCount == kHashGroupSize) checkGroup();
  }
  checkGroup();
}

// A check reads a row whose page is damaged as any read does: it changes nothing. Every other change needs a page that is
// sound, or is accepted as it is.
bool BatchCommit::findRow(
  RowFinder &finder, size_t member, const tdn_change &change, const HashFile &file, std::string_view &value) {
  try {
    return finder.find(member, change.key, value);
  } catch (Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    failure.hasRow = true;
    failure.row = change.key;
    if (change.kind != TDN_CHECK) throw;
    HashRecovery &recovery = file.recovery();
    HashRecovery::Outcome outcome = recovery.findPackedRow(change.key, file.end(), value);
    if (outcome == HashRecovery::Outcome::absent) outcome = recovery.findRow(change.key, file.end(), value);
    if (outcome == HashRecovery::Outcome::damaged) throw;
    return outcome == HashRecovery::Outcome::found;
  }
}

void BatchCommit::checkKeys(const BatchRun &run, const HashFile &file) {
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    ChangeKey key(batch_, ring(), *run.keyspace, change);
    HashBlock record;
    bool exists = file.find(key.data(), key.length(), record);
    checkOne(index, exists, {record.value, record.valueLength});
  }
}

void BatchCommit::checkTree(const BatchRun &run, const HashFile &file) {
  std::optional<TreeFinder> finder;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    // Nothing is expected, and what goes is found where it is replaced or removed.
    if (change.kind != TDN_REMOVE && change.expectation == TDN_EXPECT_ANY) continue;
    if (!finder) finder.emplace(file);
    std::string_view value;
    bool exists = finder->find({batch_.bytes(change.key), change.key_length}, value);
    checkOne(index, exists, value);
  }
}

void BatchCommit::checkOne(size_t index, bool exists, std::string_view value) {
  const tdn_change &change = batch_.change(index);
  bool isExpected = change.kind != TDN_REMOVE || exists;
  if (change.expectation == TDN_EXPECT_ABSENT) isExpected = !exists;
  if (change.expectation == TDN_EXPECT_TOKEN) {
    isExpected = exists && recordToken(value.data(), value.size()) == change.expected;
  }
  if (!isExpected) conflicts_.push_back(index);
  // What is taken out of the sum, where the change itself does not say it.
  if (exists && change.expectation == TDN_EXPECT_ANY) {
    oldTokens_[index] = recordToken(value.data(), value.size());
  }
}

// MARK: Changing

// A caller seals before the commit: meanwhile all keys may have been renewed, or the keyspace have become an encrypted
// one, or a plain one.
void BatchCommit::convert(const BatchRun &run) {
  const Keyspace &keyspace = *run.keyspace;
  std::optional<RecordConversion> conversion;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.kind != TDN_PUT) continue;
    const std::string_view value(batch_.value(change), change.value_length);
    // What is no record at all is for its reader to refuse.
    if (RecordConversion::hasForm(value, keyspace.contents.generation) || !RecordConversion::isRecord(value)) continue;
    if (!conversion) conversion.emplace(commit_.state().ring, keyspace.contents.generation);
    try {
      batch_.replaceValue(
        index, keyspace.hasRows()
                 ? conversion->row(keyspace, change.key, value)
                 : conversion->named(keyspace, {batch_.bytes(change.key), change.key_length}, value));
    } catch (const Failure &failure) {
      // Nor is what only looks like one: it goes into the file as it came, and is refused there.
      if (failure.code != TDN_DAMAGED && failure.code != TDN_UNKNOWN_EPOCH) throw;
    }
  }
}

void BatchCommit::change(BatchRun &run) {
  Keyspace &keyspace = *run.keyspace;
  try {
    std::shared_ptr<const HashFile> file = commit_.state().table.file(keyspace);
    if (!keyspace.isTree()) batch_.simplify(run, oldTokens_);
    // Nothing there is, and nothing comes.
    if (!file && run.putCount == 0) return;
    // Nothing of what was to be erased is there.
    if (!keyspace.isTree() && !run.isCleared && run.first == run.end) return;
    Readers readers = commit_.snapshotReaders(keyspace, file);
    commit_.touch(keyspace);
    uint64_t nextRow = file && keyspace.hasRows() ? file->nextRow() : 0;
    if (std::shared_ptr<const HashFile> other = run.isCleared && file ? clear(run) : fileFor(run, file); other != file) {
      commit_.replaceFile(keyspace, other);
      file = other;
      readers.clear();
    }
    if (keyspace.isTree()) {
      changeTree(run, *file, readers);
    } else {
      changeHash(run, *file, readers, nextRow);
    }
    if (!keyspace.isTree()) noteContents(run);
    if (keyspace.needsMaintenance(*file)) needy_.push_back(&keyspace);
  } catch (Failure &failure) {
    if (failure.keyspace == 0) failure.keyspace = keyspace.id;
    throw;
  }
}

// A file without records takes the place of the one that has them, however many: whoever reads those goes on with it.
std::shared_ptr<const HashFile> BatchCommit::clear(const BatchRun &run) {
  Keyspace &keyspace = *run.keyspace;
  commit_.noteCleared(keyspace);
  return commit_.createFile(
    keyspace, keyspace.hasRows() ? RowsChange::recordCount(batch_, run.first, run.end) : run.putCount);
}

// The file that is to take the run's records: a new one where there is none, or where it would be far too small.
std::shared_ptr<const HashFile> BatchCommit::fileFor(const BatchRun &run, std::shared_ptr<const HashFile> current) {
  Keyspace &keyspace = *run.keyspace;
  const bool isSmall = keyspace.isTree() || run.putCount <= static_cast<uint64_t>(HashFile::Shape().bucketCount);
  if (!current && isSmall) return commit_.createFile(keyspace, run.putCount);
  if (current && (isSmall || run.putCount <= static_cast<uint64_t>(current->bucketCount()))) return current;
  const uint64_t putCount =
    keyspace.hasRows() ? RowsChange::recordCount(batch_, run.first, run.end) : run.putCount;
  if (!current) return commit_.createFile(keyspace, putCount);
  uint64_t count = current->count(), bucketCount = static_cast<uint64_t>(current->bucketCount());
  if (putCount <= bucketCount) return current;
  if (count == 0) return commit_.createFile(keyspace, putCount);
  if (count + putCount > kOverloaded * bucketCount) {
    try {
      return copy(keyspace, *current, count + putCount);
    } catch (const Failure &failure) {
      // Some record cannot be read: the batch may not need it, so it goes into the file as it is.
      if (failure.code != TDN_DAMAGED) throw;
    }
  }
  return current;
}

std::shared_ptr<const HashFile> BatchCommit::copy(Keyspace &keyspace, const HashFile &from, uint64_t recordCount) {
  std::shared_ptr<const HashFile> target = commit_.createFile(keyspace, recordCount);
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

void BatchCommit::changeHash(const BatchRun &run, const HashFile &file, const Readers &readers, uint64_t nextRow) {
  Keyspace &keyspace = *run.keyspace;
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace.pool);
  RecordsChange records(writer, file, keyspace, readers);
  if (!keyspace.hasRows()) {
    changeKeys(run, records);
    return writer.end(nextRow);
  }
  RowsChange(records, batch_, nextRow).change(run);
  // The rows put now were handed out, whoever did it.
  uint64_t known = keyspace.nextRow;
  while (known != 0 && known <= run.lastRow && !keyspace.nextRow.compare_exchange_weak(known, run.lastRow + 1)) {
  }
  writer.end(std::max({nextRow, keyspace.nextRow.load(), run.lastRow + 1}));
}

ContentsDigest &BatchCommit::digest(Keyspace &keyspace) {
  const uint32_t generation = keyspace.contents.generation;
  if (!keyspace.digest || keyspace.digest->generation() != generation) {
    keyspace.digest = std::make_unique<ContentsDigest>(ring(), generation, keyspace.id);
  }
  // What a commit that failed has left.
  keyspace.digest->take();
  if (keyspace.rekeyed) keyspace.rekeyed->digest.take();
  return *keyspace.digest;
}

void BatchCommit::setContents(Keyspace &keyspace, uint64_t count, const ContentsDigest::Sum &sum) {
  ContentsState contents = keyspace.contents;
  contents.count = count;
  for (size_t index = 0; index < sum.size(); index++) contents.digest[index] ^= sum[index];
  commit_.setContents(keyspace, contents);
  if (keyspace.rekeyed) commit_.noteRekeyed(keyspace, keyspace.rekeyed->digest.take());
}

// Every expectation was met, so what a change overwrites is what it says, or what was found. Returns by how much the
// number of records changes.
template <class Toggle> int64_t BatchCommit::toggleEach(const BatchRun &run, Toggle toggle) {
  int64_t difference = 0;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.expectation == TDN_EXPECT_TOKEN) {
      toggle(change, change.expected);
      difference--;
    } else if (change.expectation == TDN_EXPECT_ANY) {
      if (auto old = oldTokens_.find(index); old != oldTokens_.end()) {
        toggle(change, old->second);
        difference--;
      }
    }
    if (change.kind == TDN_PUT) {
      toggle(change, recordToken(batch_.value(change), change.value_length));
      difference++;
    }
  }
  return difference;
}

void BatchCommit::noteContents(const BatchRun &run) {
  Keyspace &keyspace = *run.keyspace;
  const auto note = [&](ContentsDigest &digest) {
    if (keyspace.hasRows()) {
      return toggleEach(run, [&](const tdn_change &change, uint64_t token) { digest.toggleRow(change.key, token); });
    }
    return toggleEach(run, [&](const tdn_change &change, uint64_t token) {
      const std::string_view name(batch_.bytes(change.key), change.key_length);
      digest.toggleKey(StorageKey(ring(), digest.generation(), keyspace, name).view(), token);
    });
  };
  ContentsDigest &digest = this->digest(keyspace);
  const uint64_t count = keyspace.contents.count + static_cast<uint64_t>(note(digest));
  if (keyspace.rekeyed) note(keyspace.rekeyed->digest);
  setContents(keyspace, count, digest.take());
}

void BatchCommit::changeKeys(const BatchRun &run, RecordsChange &records) {
  HashGroup group(records.file());
  for (size_t first = run.first; first < run.end; first += kHashGroupSize) {
    size_t count = std::min(kHashGroupSize, run.end - first);
    for (size_t member = 0; member < count; member++) {
      ChangeKey key(batch_, ring(), *run.keyspace, batch_.change(first + member));
      group.add(member, key.data(), key.length());
    }
    group.fetch(count);
    for (size_t member = 0; member < count; member++) {
      const tdn_change &change = batch_.change(first + member);
      ChangeKey key(batch_, ring(), *run.keyspace, change);
      RecordsChange::Found found = records.find(key.view(), group.place(member));
      if (change.kind == TDN_REMOVE) {
        records.remove(key.view(), group.place(member), found);
      } else {
        records.put(key.view(), group.place(member), found, {batch_.value(change), change.value_length});
      }
      if (RebuildJournal *journal = run.keyspace->journal) {
        journal->names.emplace_back(batch_.bytes(change.key), change.key_length);
      }
    }
  }
}

void BatchCommit::changeTree(const BatchRun &run, const HashFile &file, const Readers &readers) {
  Keyspace &keyspace = *run.keyspace;
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace.pool);
  TreeWriter tree(file, writer, keyspace.journal ? &keyspace.journal->keys : nullptr);
  ContentsDigest &digest = this->digest(keyspace);
  uint64_t count = keyspace.contents.count;
  bool isChanged = run.isCleared;
  for (size_t index = run.first; index < run.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.kind == TDN_CHECK || change.kind == TDN_CLEAR) continue;
    ChangeKey key(batch_, ring(), keyspace, change);
    const TreeWriter::OldValue old = [&](const char *value, size_t length) {
      for (const Commit::Reader &reader : readers) {
        reader.snapshot->keepInOrder(*reader.part, key.view(), value, length);
      }
      if (!value) return;
      isChanged = true;
      digest.toggleEntry(key.view(), {value, length});
      if (keyspace.rekeyed) keyspace.rekeyed->digest.toggleEntry(key.view(), {value, length});
      count--;
    };
    if (change.kind != TDN_PUT) {
      tree.remove(key.view(), old);
    } else {
      const std::string_view value(batch_.value(change), change.value_length);
      tree.put(key.view(), value, old);
      digest.toggleEntry(key.view(), value);
      if (keyspace.rekeyed) keyspace.rekeyed->digest.toggleEntry(key.view(), value);
      count++;
      isChanged = true;
    }
  }
  // Where nothing of what was to be erased is there, nothing is to be written.
  if (isChanged) {
    setContents(keyspace, count, digest.take());
    tree.finish();
  }
  if (keyspace.journal) keyspace.journal->thinKeys();
  writer.end(0);
}

}  // namespace todana
