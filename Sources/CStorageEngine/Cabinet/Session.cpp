#include "Session.h"

#include "../Commit/BatchCommit.h"
#include "../Kyoto/PageAcceptance.h"
#include "../Kyoto/TreeReader.h"
#include "../Rebuild/RandomID.h"
#include "../include/StorageEngineVerification.h"
#include "RecordReader.h"

namespace todana {

namespace {

// Under one key. Random nonces of 96 bits are safe for 2^32; what is under way counts only when it is committed.
constexpr uint64_t kSealLimit = 1ull << 31;

// Damaged pages that one call repairs at most.
constexpr int kMostRepairs = 64;

FileGroup::Settings groupSettings(const tdn_options &options, Disk &disk) {
  FileGroup::Settings settings;
  settings.logLimit = options.log_limit;
  settings.privateLimit = options.private_limit;
  settings.sparesMemory = options.spares_memory;
  settings.mendsBits = options.mends_bits;
  settings.commitLimit = options.commit_limit;
  settings.directThreshold = options.direct_threshold;
  settings.sectorSize = options.sector_size > 0 ? options.sector_size : disk.sectorSize();
  settings.strict = options.strict;
  settings.readOnly = options.access == TDN_ACCESS_READ;
  settings.isVolatile = options.storage == TDN_STORAGE_MEMORY;
  settings.firstFiles = {StateFile::kFileName, Catalog::kFileName};
  return settings;
}

}  // namespace

Session::Session(
  Disk &disk, const tdn_options &options, std::shared_ptr<const KeyRing> ring, bool mayBePlain,
  FileGroup::Report &report)
    : snapshotLimit_(options.snapshot_limit),
      sealLimit_(options.seal_limit > 0 ? static_cast<uint64_t>(options.seal_limit) : kSealLimit),
      isReadOnly_(options.access == TDN_ACCESS_READ) {
  group_ = FileGroup::open(disk, groupSettings(options, disk), report);
  table_ = std::make_unique<FileTable>(*group_, static_cast<size_t>(std::max(options.descriptor_limit, 1)));
  commitState_.reset(new CommitState{*group_, *table_, snapshots_, Catalog(ring), StateFile(ring), {}, ring});
  keyRing_ = ring.get();
  StateFile &states = commitState_->states;
  states.open(*group_, mayBePlain);
  table_->setKeys(ring ? std::make_shared<SealerPool>(ring) : nullptr, states.generation());
  commitState_->catalog.setSealed(states.generation() != 0);
  std::vector<uint32_t> fileNumbers{StateFile::kFileNumber, Catalog::kFileNumber};
  commitState_->catalog.load(*group_, [&](const Catalog::Entry &entry) {
    table_->add(entry);
    fileNumbers.push_back(entry.fileNumber);
  });
  states.load(*group_, table_->all());
  for (Structure *structure : table_->all()) structure->isSealed = structure->contents.generation != 0;
  if (options.expected) states.require(*group_, *options.expected);
  table_->setNumbers(commitState_->catalog.nextStructure(), commitState_->catalog.nextFileNumber());
  if (report.recoveredCommits > 0) table_->noteLostSpace();
  if (isReadOnly_) return;
  std::sort(fileNumbers.begin(), fileNumbers.end());
  group_->keepOnly(fileNumbers);
  maintenance_ = std::make_unique<Maintenance>(
    *commitState_, options.storage == TDN_STORAGE_MEMORY ? INT64_MAX : options.compaction_room);
}

Session::~Session() {
  maintenance_ = nullptr;
  snapshots_.interruptAll();
  commitState_ = nullptr;
  table_ = nullptr;
}

void Session::close() {
  if (maintenance_) maintenance_->stop();
  if (!isReadOnly_) storeState();
  snapshots_.interruptAll();
  group_->close();
}

// What stands in memory between commits: free-block pools, and row ids handed out.
void Session::storeState() {
  Commit commit(*commitState_);
  HashWriter &writer = commitState_->writer;
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      for (Structure *structure : table_->all()) {
        std::shared_ptr<const HashFile> file;
        if (structure->nextRow > 0) {
          file = table_->file(*structure);
          if (file && file->nextRow() < structure->nextRow) {
            commit.touch(*structure);
            writer.begin(*file, structure->pool);
            writer.end(structure->nextRow);
          }
        }
        if (structure->pool.isLoaded && !structure->pool.blocks.empty()) {
          if (!file) file = table_->file(*structure);
          commit.touch(*structure);
          writer.storePool(*file, structure->pool);
        }
      }
      commitState_->catalog.storePool(writer);
      if (group_->applying().hasChanges || commitState_->states.mustBeClosed()) {
        commitState_->states.storeClosed(*group_);
      }
    },
    [&] { commit.undo(); });
}

// MARK: Structures

std::vector<Session::StructureInfo> Session::structures() {
  std::vector<StructureInfo> infos;
  for (Structure *structure : table_->all()) infos.push_back({structure->id, structure->kind, structure->name});
  return infos;
}

uint64_t Session::count(uint32_t id) {
  Structure &structure = table_->structure(id);
  return table_->read(structure, true, [&](const std::shared_ptr<const HashFile> &file) {
    return countIn(structure, file.get());
  });
}

uint64_t Session::countIn(const Structure &structure, const HashFile *file) {
  if (!file) return 0;
  return structure.isTree() ? TreeReader(*file).count() : file->rowCount();
}

uint64_t Session::reserveRows(uint32_t id, uint64_t count) {
  Structure &structure = table_->structure(id);
  if (isReadOnly_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  if (!structure.hasRows()) throw Failure(TDN_INVALID, "the structure has no row ids");
  group_->throwIfPoisoned();
  if (structure.nextRow == 0) loadNextRow(structure);
  uint64_t first = structure.nextRow;
  do {
    if (count > UINT64_MAX - first) throw Failure(TDN_LIMIT, "there are no row ids left");
  } while (!structure.nextRow.compare_exchange_weak(first, first + count));
  return first;
}

void Session::loadNextRow(Structure &structure) {
  table_->read(structure, true, [&](const std::shared_ptr<const HashFile> &file) {
    uint64_t unknown = 0, first = file ? std::max<uint64_t>(file->nextRow(), 1) : 1;
    structure.nextRow.compare_exchange_strong(unknown, first);
  });
}

Structure &Session::structure(uint32_t id, bool isTree) {
  Structure &structure = table_->structure(id);
  if (structure.isTree() != isTree) {
    throw Failure(
      TDN_INVALID, isTree ? "a range can be read from a tree only" : "a tree is read by ranges of keys");
  }
  return structure;
}

// MARK: Committing

// Calls `body`, and again after each damaged page that stopped it and could be repaired.
template <class Body> decltype(std::declval<Body>()()) Session::repairing(Body body) {
  for (int count = 0;; count++) {
    try {
      return body();
    } catch (const Failure &failure) {
      if (count == kMostRepairs || failure.code != TDN_DAMAGED || !repair(failure)) throw;
    }
  }
}

uint64_t Session::commit(const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts) {
  return repairing([&] { return tryCommit(batch, durability, conflicts); });
}

// Repairs the page that a failure names, if it is a data file's and one bit of it is wrong; or accepts it if values alone
// are damaged. The next commit writes it.
bool Session::repair(const Failure &failure) {
  if (isReadOnly_ || failure.page < 0) return false;
  for (Structure *structure : table_->all()) {
    if (structure->fileNumber == 0 || FileTable::fileName(*structure, structure->fileNumber) != failure.file) continue;
    const std::shared_ptr<const HashFile> file = table_->file(*structure);
    if (!file || file->file()->name() != failure.file) return false;
    bool isRepaired = false;
    group_->commit(
      randomID().data(), FileGroup::Durability::bulk,
      [&] {
        isRepaired = file->file()->repairPage(failure.page) ||
                     (!structure->isTree() && PageAcceptance(*file, failure.page).isAcceptable() &&
                      file->file()->acceptPage(failure.page));
      },
      [] {});
    return isRepaired;
  }
  return false;
}

uint64_t Session::tryCommit(
  const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts) {
  Batch checked(batch, *table_);
  if (keyRing()) countSeals();
  BatchCommit commit(*commitState_, checked);
  uint64_t number;
  try {
    number = group_->commit(
      batch.id, durability, [&] { commit.apply(); }, [&] { commit.undo(); });
  } catch (const Conflict &) {
    conflicts = commit.conflicts();
    throw;
  }
  for (Structure *structure : commit.needy()) maintenance_->request(*structure);
  return number;
}

// Before what has been sealed is written. A commit that fails has sealed, too.
void Session::countSeals() {
  StateFile &states = commitState_->states;
  if (states.needsNewEpoch(sealLimit_) && makeEpoch_) {
    std::lock_guard<std::mutex> lock(epochMutex_);
    if (states.needsNewEpoch(sealLimit_)) makeEpoch_();
  }
  // The first commit makes the catalog, too.
  if (!states.hasUncountedSeals() || group_->commitNumber() == 0) return;
  commitStates();
}

void Session::commitStates() {
  Commit commit(*commitState_);
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      commitState_->states.store(*group_, {});
    },
    [&] { commit.undo(); });
}

void Session::requireConsistentStates() const {
  if (statesAreConsistent()) return;
  throw Failure(
    TDN_CONTENTS_MISMATCH,
    "files of the store are older or newer than others: accept its contents, or restore a backup, first");
}

uint32_t Session::statesGeneration() {
  FileGroup::ReadLock lock(*group_);
  return commitState_->states.generation();
}

// MARK: Reading

uint64_t Session::snapshotCount(Snapshot &snapshot, uint32_t id) {
  return snapshotPart(snapshot, table_->structure(id)).count;
}

// Every commit notes the next row in the file that it puts rows into, so the part's file knows those of the snapshot.
uint64_t Session::snapshotRowBound(Snapshot &snapshot, uint32_t id) {
  Structure &structure = table_->structure(id);
  if (!structure.hasRows()) throw Failure(TDN_INVALID, "the structure has no row ids");
  const SnapshotPart &part = snapshotPart(snapshot, structure);
  FileGroup::ReadLock lock(*group_);
  return part.file ? part.file->nextRow() : 1;
}

uint64_t Session::estimateRange(Snapshot *snapshot, uint32_t id, const KeyRange &range) {
  Structure &scanned = structure(id, true);
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

SnapshotPart &Session::snapshotPart(Snapshot &snapshot, Structure &structure) {
  return table_->read(structure, true, [&](const std::shared_ptr<const HashFile> &file) -> SnapshotPart & {
    snapshot.check();
    SnapshotPart *fixed = snapshot.fixedPart(structure.id);
    return fixed ? *fixed : snapshot.part(structure.id, file, countIn(structure, file.get()), structure.contents);
  });
}

namespace {

uint32_t generationOf(const Structure &structure, const SnapshotPart *part) {
  return (part ? part->contents : structure.contents).generation;
}

}  // namespace

void Session::getRows(
  Snapshot *snapshot, uint32_t id, const uint64_t *rows, size_t rowCount, ChunkWriter &chunk) {
  Structure &structure = table_->structure(id);
  if (!structure.hasRows()) throw Failure(TDN_INVALID, "the structure has no row ids");
  SnapshotPart *part = snapshot ? &snapshotPart(*snapshot, structure) : nullptr;
  size_t next = 0;
  bool hasRoom = true;
  while (next < rowCount && hasRoom) {
    hasRoom = table_->read(structure, true, [&](const std::shared_ptr<const HashFile> &file) {
      if (snapshot) snapshot->check();
      const bool isSealed = generationOf(structure, part) != 0;
      if (next > 0 && isSealed != chunk.isSealed()) {
        // Encrypted, or decrypted, between two steps: one chunk has records of one kind.
        chunk.clear();
        next = 0;
      }
      chunk.setSealed(isSealed);
      return RecordReader(file.get(), snapshot, part).addRows(chunk, rows, rowCount, next);
    });
  }
}

void Session::getKey(Snapshot *snapshot, uint32_t id, std::string_view name, ChunkWriter &chunk) {
  Structure &structure = table_->structure(id);
  if (structure.hasRows()) throw Failure(TDN_INVALID, "the structure has row ids, not keys of bytes");
  if (name.empty() || name.size() > kMaximumKeyLength) throw Failure(TDN_LIMIT, "a key has 1 to 1,024 bytes");
  SnapshotPart *part = snapshot ? &snapshotPart(*snapshot, structure) : nullptr;
  table_->read(structure, true, [&](const std::shared_ptr<const HashFile> &current) {
    if (snapshot) snapshot->check();
    const uint32_t generation = generationOf(structure, part);
    const StorageKey key(keyRing(), generation, structure, name);
    chunk.setSealed(generation != 0);
    RecordReader reader(current.get(), snapshot, part);
    if (!reader.file()) {
      chunk.add(0, {}, 0, TDN_ABSENT);
    } else if (!structure.isTree()) {
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

tdn_anchor Session::anchor() {
  group_->flush();
  FileGroup::ReadLock lock(*group_);
  return commitState_->states.anchor(*group_);
}

void Session::setKeys(const std::shared_ptr<const KeyRing> &ring) {
  const auto sealers = std::make_shared<SealerPool>(ring);
  // Whoever uses what is changed here does so in a commit, or asks for it under a lock.
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commitState_->ring = ring;
      commitState_->catalog.setKeys(ring);
      commitState_->states.setKeys(ring);
      table_->setKeys(sealers, 0);
      keyRing_.store(ring.get(), std::memory_order_release);
    },
    [] {});
}

void Session::rewriteStates(uint32_t generation, uint32_t newGeneration) {
  Commit commit(*commitState_);
  const uint32_t formerGeneration = table_->newGeneration();
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      table_->setNewGeneration(newGeneration);
      commit.rewriteStates(generation, newGeneration);
    },
    [&] {
      commit.undo();
      table_->setNewGeneration(formerGeneration);
    });
}

void Session::accept(const std::vector<Commit::Acceptance> &accepted) {
  if (group_->commitNumber() == 0) return;  // there is nothing, as there should be
  Commit commit(*commitState_);
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      commit.accept(accepted);
    },
    [&] { commit.undo(); });
}

bool Session::compact(uint32_t id, const Rebuilding::Progress &progress) {
  Structure &structure = table_->structure(id);
  if (isReadOnly_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  group_->throwIfPoisoned();
  const bool isCompacted = repairing([&] { return maintenance_->compact(structure, progress); });
  // A checkpoint removes the file that a rebuilding replaced, also one that ran in the background just before.
  group_->checkpoint();
  return isCompacted;
}

Session::Space Session::space(uint32_t id, const Rebuilding::Progress &progress) {
  Structure &structure = table_->structure(id);
  std::shared_ptr<const HashFile> file = table_->file(structure, false);
  if (!file) return {};
  std::unique_ptr<Refill> refill;
  Space space;
  uint64_t rowCount;
  {
    FileGroup::ReadLock lock(*group_);
    refill = Refill::make(file, structure);
    space.fileBytes = static_cast<uint64_t>(file->end());
    rowCount = file->rowCount();
  }
  for (bool hasMore = true; hasMore;) {
    if (!progress(refill->surveyed(), refill->total())) throw Failure(TDN_INTERRUPTED, "looking at the space was given up");
    {
      FileGroup::ReadLock lock(*group_);
      hasMore = refill->survey();
    }
    refill->sortOut(!hasMore);
  }
  const uint64_t buckets = Maintenance::tightBucketCount(refill->recordCount(), rowCount, *file);
  const uint64_t bucketBytes = static_cast<uint64_t>(file->bucketCount()) * kAddressSize;
  const uint64_t shortest = space.fileBytes - refill->total() - bucketBytes + buckets * kAddressSize + refill->byteCount();
  space.neededBytes = std::min(space.fileBytes, shortest);
  return space;
}

// MARK: Looking inside

FileGroup::Verified Session::verifyPart(uint32_t id, int64_t firstPage, std::string &fileName) {
  if (id == TDN_CATALOG || id == TDN_STATES) {
    fileName = id == TDN_CATALOG ? Catalog::kFileName : StateFile::kFileName;
    if (group_->commitNumber() == 0) return {};  // the first commit makes it
    const uint32_t number = id == TDN_CATALOG ? Catalog::kFileNumber : StateFile::kFileNumber;
    return group_->verifyMain(number, fileName, firstPage, TDN_VERIFIED_PAGES);
  }
  Structure &structure = table_->structure(id);
  for (;;) {
    const uint32_t number = structure.fileNumber;
    if (number == 0) return {};
    fileName = table_->fileName(structure, number);
    try {
      FileGroup::Verified verified = group_->verifyMain(number, fileName, firstPage, TDN_VERIFIED_PAGES);
      if (structure.fileNumber == number) return verified;
    } catch (const Failure &) {
      if (structure.fileNumber == number) throw;
    }
    // Replaced meanwhile: the pages are others, so the new file is looked at as far as the old one was.
  }
}

tdn_statistics Session::statistics() {
  tdn_statistics statistics = group_->statistics();
  statistics.growths = maintenance_ ? maintenance_->growthCount() : 0;
  statistics.compactions = maintenance_ ? maintenance_->compactionCount() : 0;
  return statistics;
}

}  // namespace todana
