#include "Commit.h"

#include <algorithm>

#include "../Kyoto/TreeReader.h"

namespace todana {

namespace {

// Returns the number of records in the keyspace's file. If the number cannot be read from a damaged tree, returns the
// committed number, so that the tree can still be cleared.
uint64_t recordCount(const Keyspace &keyspace, const HashFile *file) {
  if (!file) return 0;
  if (!keyspace.isTree()) return file->rowCount();
  try {
    return TreeReader(*file).count();
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    return keyspace.contents.count;
  }
}

}  // namespace

std::shared_ptr<const HashFile> Commit::createFile(Keyspace &keyspace, uint64_t recordCount) {
  uint32_t number = state_.table.takeFileNumber();
  std::shared_ptr<DataFile> data =
    state_.group.createFile(number, state_.table.fileName(keyspace, number));
  HashFile::Shape shape;
  if (keyspace.isTree()) {
    shape = TreeReader::shape(state_.table.sealers(keyspace, keyspace.isSealed), recordCount);
  } else if (recordCount > static_cast<uint64_t>(shape.bucketCount)) {
    shape.bucketCount = HashFile::bucketCountFor(recordCount);
  }
  return HashFile::create(std::move(data), keyspace.id, shape);
}

void Commit::replaceFile(Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed) {
  std::shared_ptr<const HashFile> old = replacedFile(keyspace);
  replacements_.push_back({&keyspace, old, keyspace.fileNumber, keyspace.isSealed});
  touch(keyspace);
  keyspace.pool.forget();
  uint32_t number = file->number();
  state_.table.setFile(keyspace, std::move(file), number, isSealed);
  // If the file is not open, the next opening removes it, because the catalog no longer names it.
  if (old) state_.group.dropFile(old->file());
}

std::shared_ptr<const HashFile> Commit::replacedFile(Keyspace &keyspace) {
  try {
    return state_.table.file(keyspace);
  } catch (const Failure &failure) {
    // In a snapshot the keyspace would then look empty.
    if (failure.code != TDN_DAMAGED || !state_.snapshots.all().empty()) throw;
    return nullptr;
  }
}

void Commit::dropKeyspace(Keyspace &keyspace) {
  const std::shared_ptr<const HashFile> file = replacedFile(keyspace);
  snapshotReaders(keyspace, file);
  noteCleared(keyspace);
  if (keyspace.fileNumber != 0) {
    replacements_.push_back({&keyspace, file, keyspace.fileNumber, keyspace.isSealed});
    touch(keyspace);
    keyspace.pool.forget();
    state_.table.setFile(keyspace, nullptr, 0, keyspace.isSealed);
    if (file) state_.group.dropFile(file->file());
  }
  state_.table.remove(keyspace);
  removed_.push_back(&keyspace);
}

void Commit::addKeyspace(
  Keyspace &keyspace, std::shared_ptr<const HashFile> file, bool isSealed, const DigestEntry &contents) {
  state_.table.addLoaded(keyspace);
  added_.push_back(&keyspace);
  // In open snapshots the keyspace is empty.
  snapshotReaders(keyspace, nullptr);
  replaceFile(keyspace, std::move(file), isSealed);
  setContents(keyspace, contents);
}

std::vector<Commit::Reader> Commit::snapshotReaders(
  Keyspace &keyspace, const std::shared_ptr<const HashFile> &file) {
  if (!hasSnapshots_) {
    snapshots_ = state_.snapshots.all();
    hasSnapshots_ = true;
  }
  std::vector<Reader> readers;
  if (snapshots_.empty()) return readers;
  const uint64_t count = recordCount(keyspace, file.get());
  for (const std::shared_ptr<Snapshot> &snapshot : snapshots_) {
    SnapshotPart &part = snapshot->part(keyspace.id, file, count, keyspace.contents);
    // A snapshot that was opened before a replacement reads the replaced file, which no longer changes.
    if (part.file && file && part.file->number() == file->number()) readers.push_back({snapshot.get(), &part});
  }
  return readers;
}

void Commit::setContents(Keyspace &keyspace, const DigestEntry &contents) {
  undoContents_.emplace_back(&keyspace, keyspace.contents);
  keyspace.contents = contents;
}

void Commit::noteCleared(Keyspace &keyspace) {
  undoClearings_.emplace_back(&keyspace, keyspace.clearedBy);
  keyspace.clearedBy = state_.group.applying().commitNumber;
  DigestEntry contents;
  contents.keyGeneration = keyspace.contents.keyGeneration;
  setContents(keyspace, contents);
}

void Commit::noteRekeyed(Keyspace &keyspace, const KeyspaceDigest::Sum &sum) {
  for (size_t index = 0; index < sum.size(); index++) keyspace.rekeyed->sum[index] ^= sum[index];
  rekeyedSums_.emplace_back(&keyspace, sum);
}

void Commit::finish() {
  if (!state_.group.applying().hasChanges) return;
  std::vector<Keyspace *> changed;
  std::vector<Catalog::Entry> entries;
  for (const Replacement &replacement : replacements_) {
    Keyspace &keyspace = *replacement.keyspace;
    // The entry of a dropped keyspace has no file.
    entries.push_back({keyspace.id, keyspace.kind, keyspace.fileNumber, keyspace.name});
    changed.push_back(&keyspace);
  }
  if (!entries.empty()) {
    state_.catalog.store(
      state_.group, state_.writer, entries, state_.table.nextKeyspace(), state_.table.nextFileNumber());
  }
  for (const auto &[keyspace, contents] : undoContents_) changed.push_back(keyspace);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  state_.states.store(state_.group, changed);
}

void Commit::accept(const std::vector<Acceptance> &accepted) {
  for (const Acceptance &acceptance : accepted) {
    // Correct only the difference that was found as of that commit. The changes of later commits remain.
    DigestEntry contents = acceptance.keyspace->contents;
    if (acceptance.keyspace->clearedBy > acceptance.commitNumber) continue;
    if (contents.keyGeneration != acceptance.expected.keyGeneration) {
      throw Failure(TDN_INTERRUPTED, "the keys of the store were renewed at the same time: try again");
    }
    contents.count += acceptance.found.count - acceptance.expected.count;
    for (size_t index = 0; index < contents.digest.size(); index++) {
      contents.digest[index] ^= acceptance.found.digest[index] ^ acceptance.expected.digest[index];
    }
    setContents(*acceptance.keyspace, contents);
  }
  storeAllStates(state_.states.keyGeneration());
}

void Commit::storeAllStates(uint32_t keyGeneration) {
  std::vector<Keyspace *> stored;
  for (Keyspace *keyspace : state_.table.all()) {
    if (keyspace->fileNumber != 0) stored.push_back(keyspace);
  }
  state_.states.storeAll(state_.group, stored, keyGeneration);
}

void Commit::rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration) {
  std::vector<Catalog::Entry> entries;
  for (Keyspace *keyspace : state_.table.all()) {
    if (keyspace->fileNumber != 0) {
      entries.push_back({keyspace->id, keyspace->kind, keyspace->fileNumber, keyspace->name});
      continue;
    }
    DigestEntry contents = keyspace->contents;
    contents.keyGeneration = newKeyGeneration;
    setContents(*keyspace, contents);
    keyspace->isSealed = newKeyGeneration != 0;
  }
  state_.catalog.rewrite(
    state_.group, state_.writer, entries, state_.table.nextKeyspace(), state_.table.nextFileNumber(),
    keyGeneration != 0);
  storeAllStates(keyGeneration);
}

void Commit::undo() {
  state_.writer.abandon();
  state_.catalog.forget();
  state_.states.undo();
  for (Keyspace *keyspace : touched_) keyspace->pool.forget();
  for (auto old = undoContents_.rbegin(); old != undoContents_.rend(); ++old) {
    old->first->contents = old->second;
    if (old->first->fileNumber == 0) old->first->isSealed = old->second.keyGeneration != 0;
  }
  for (const auto &[keyspace, commitNumber] : undoClearings_) keyspace->clearedBy = commitNumber;
  for (const auto &[keyspace, sum] : rekeyedSums_) {
    if (!keyspace->rekeyed) continue;
    for (size_t index = 0; index < sum.size(); index++) keyspace->rekeyed->sum[index] ^= sum[index];
  }
  for (auto replacement = replacements_.rbegin(); replacement != replacements_.rend(); ++replacement) {
    state_.table.setFile(
      *replacement->keyspace, replacement->oldFile, replacement->oldNumber, replacement->wasSealed);
  }
  for (Keyspace *keyspace : added_) state_.table.undoAddLoaded(*keyspace);
  for (Keyspace *keyspace : removed_) state_.table.undoRemove(*keyspace);
}

}  // namespace todana
