#include "Commit.h"

#include <algorithm>

#include "../Kyoto/TreeReader.h"

namespace todana {

namespace {

// In the structure's file, or, where a tree does not tell any more, in what was committed: it can be cleared all the same.
uint64_t recordCount(const Structure &structure, const HashFile *file) {
  if (!file) return 0;
  if (!structure.isTree()) return file->rowCount();
  try {
    return TreeReader(*file).count();
  } catch (const Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    return structure.contents.count;
  }
}

}  // namespace

std::shared_ptr<const HashFile> Commit::createFile(Structure &structure, uint64_t recordCount) {
  uint32_t number = state_.table.takeFileNumber();
  std::shared_ptr<DataFile> data =
    state_.group.createFile(number, state_.table.fileName(structure, number));
  HashFile::Shape shape;
  if (structure.isTree()) {
    shape = TreeReader::shape(state_.table.sealers(structure, structure.isSealed), recordCount);
  } else if (recordCount > static_cast<uint64_t>(shape.bucketCount)) {
    shape.bucketCount = HashFile::bucketCountFor(recordCount);
  }
  return HashFile::create(std::move(data), structure.id, shape);
}

void Commit::replaceFile(Structure &structure, std::shared_ptr<const HashFile> file, bool isSealed) {
  std::shared_ptr<const HashFile> old = state_.table.file(structure);
  replacements_.push_back({&structure, old, structure.fileNumber, structure.isSealed});
  touch(structure);
  structure.pool.forget();
  uint32_t number = file->number();
  state_.table.setFile(structure, std::move(file), number, isSealed);
  if (old) state_.group.dropFile(old->file());
}

std::vector<Commit::Reader> Commit::snapshotReaders(
  Structure &structure, const std::shared_ptr<const HashFile> &file) {
  if (!hasSnapshots_) {
    snapshots_ = state_.snapshots.all();
    hasSnapshots_ = true;
  }
  std::vector<Reader> readers;
  if (snapshots_.empty()) return readers;
  const uint64_t count = recordCount(structure, file.get());
  for (const std::shared_ptr<Snapshot> &snapshot : snapshots_) {
    SnapshotPart &part = snapshot->part(structure.id, file, count, structure.contents);
    // A snapshot from before a replacement reads the file that was replaced, which does not change any more.
    if (part.file && file && part.file->number() == file->number()) readers.push_back({snapshot.get(), &part});
  }
  return readers;
}

void Commit::setContents(Structure &structure, const ContentsState &contents) {
  formerContents_.emplace_back(&structure, structure.contents);
  structure.contents = contents;
}

void Commit::noteCleared(Structure &structure) {
  formerClearings_.emplace_back(&structure, structure.clearedBy);
  structure.clearedBy = state_.group.applying().commitNumber;
  ContentsState contents;
  contents.generation = structure.contents.generation;
  setContents(structure, contents);
}

void Commit::noteRekeyed(Structure &structure, const ContentsDigest::Sum &sum) {
  for (size_t index = 0; index < sum.size(); index++) structure.rekeyed->sum[index] ^= sum[index];
  rekeyedSums_.emplace_back(&structure, sum);
}

void Commit::finish() {
  if (!state_.group.applying().hasChanges) return;
  std::vector<Structure *> changed;
  std::vector<Catalog::Entry> entries;
  for (const Replacement &replacement : replacements_) {
    Structure &structure = *replacement.structure;
    entries.push_back({structure.id, structure.kind, structure.fileNumber, structure.name});
    changed.push_back(&structure);
  }
  if (!entries.empty()) {
    state_.catalog.store(
      state_.group, state_.writer, entries, state_.table.nextStructure(), state_.table.nextFileNumber());
  }
  for (const auto &[structure, former] : formerContents_) changed.push_back(structure);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  state_.states.store(state_.group, changed);
}

void Commit::accept(const std::vector<Acceptance> &accepted) {
  for (const Acceptance &acceptance : accepted) {
    // What came after that commit stays as it was noted.
    ContentsState contents = acceptance.structure->contents;
    if (acceptance.structure->clearedBy > acceptance.commitNumber) continue;
    if (contents.generation != acceptance.expected.generation) {
      throw Failure(TDN_INTERRUPTED, "the keys of the store were renewed meanwhile: try again");
    }
    contents.count += acceptance.found.count - acceptance.expected.count;
    for (size_t index = 0; index < contents.digest.size(); index++) {
      contents.digest[index] ^= acceptance.found.digest[index] ^ acceptance.expected.digest[index];
    }
    setContents(*acceptance.structure, contents);
  }
  storeAllStates(state_.states.generation());
}

void Commit::storeAllStates(uint32_t generation) {
  std::vector<Structure *> stored;
  for (Structure *structure : state_.table.all()) {
    if (structure->fileNumber != 0) stored.push_back(structure);
  }
  state_.states.storeAll(state_.group, stored, generation);
}

void Commit::rewriteStates(uint32_t generation, uint32_t newGeneration) {
  std::vector<Catalog::Entry> entries;
  for (Structure *structure : state_.table.all()) {
    if (structure->fileNumber != 0) {
      entries.push_back({structure->id, structure->kind, structure->fileNumber, structure->name});
      continue;
    }
    ContentsState contents = structure->contents;
    contents.generation = newGeneration;
    setContents(*structure, contents);
    structure->isSealed = newGeneration != 0;
  }
  state_.catalog.rewrite(
    state_.group, state_.writer, entries, state_.table.nextStructure(), state_.table.nextFileNumber(),
    generation != 0);
  storeAllStates(generation);
}

void Commit::undo() {
  state_.writer.abandon();
  state_.catalog.forget();
  state_.states.undo();
  for (Structure *structure : touched_) structure->pool.forget();
  for (auto former = formerContents_.rbegin(); former != formerContents_.rend(); ++former) {
    former->first->contents = former->second;
    if (former->first->fileNumber == 0) former->first->isSealed = former->second.generation != 0;
  }
  for (const auto &[structure, commitNumber] : formerClearings_) structure->clearedBy = commitNumber;
  for (const auto &[structure, sum] : rekeyedSums_) {
    if (!structure->rekeyed) continue;
    for (size_t index = 0; index < sum.size(); index++) structure->rekeyed->sum[index] ^= sum[index];
  }
  for (auto replacement = replacements_.rbegin(); replacement != replacements_.rend(); ++replacement) {
    state_.table.setFile(
      *replacement->structure, replacement->oldFile, replacement->oldNumber, replacement->wasSealed);
  }
}

}  // namespace todana
