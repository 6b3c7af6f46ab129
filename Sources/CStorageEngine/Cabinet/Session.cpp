#include "Session.h"

#include "../Commit/KeyspaceLoader.h"
#include "../Kyoto/TreeReader.h"
#include "../Rebuild/RandomID.h"

namespace todana {

namespace {

// The number of seals under one key. Random nonces of 96 bits are safe for 2^32 seals. The margin covers seals that are
// counted only when they are committed.
constexpr uint64_t kSealLimit = 1ull << 31;

FileGroup::Settings groupSettings(const tdn_options &options, Disk &disk) {
  FileGroup::Settings settings;
  settings.logLimit = options.log_limit;
  settings.privateLimit = options.private_limit;
  settings.limitsMemory = options.limits_memory;
  settings.repairsBits = options.repairs_bits;
  settings.commitLimit = options.commit_limit;
  settings.directThreshold = options.direct_threshold;
  settings.sectorSize = options.sector_size > 0 ? options.sector_size : disk.sectorSize();
  settings.strict = options.strict;
  settings.readOnly = options.access == TDN_ACCESS_READ;
  settings.isVolatile = options.storage == TDN_STORAGE_MEMORY;
  settings.firstFiles = {DigestFile::kFileName, Catalog::kFileName};
  return settings;
}

}  // namespace

Session::Session(
  Disk &disk, const tdn_options &options, std::shared_ptr<const KeyRing> ring, bool mayBePlain,
  FileGroup::Report &report, uint64_t leastCommit)
    : sealLimit_(options.seal_limit > 0 ? static_cast<uint64_t>(options.seal_limit) : kSealLimit),
      isReadOnly_(options.access == TDN_ACCESS_READ),
      snapshots_(options.snapshot_limit) {
  FileGroup::Settings settings = groupSettings(options, disk);
  settings.leastCommit = leastCommit;
  group_ = FileGroup::open(disk, settings, report);
  table_ = std::make_unique<FileTable>(*group_, static_cast<size_t>(std::max(options.descriptor_limit, 1)));
  commitState_.reset(new CommitState{*group_, *table_, snapshots_, Catalog(ring), DigestFile(ring), {}, ring});
  keyRing_ = ring.get();
  DigestFile &states = commitState_->states;
  states.open(*group_, mayBePlain);
  table_->setKeys(ring ? std::make_shared<SealerPool>(ring) : nullptr, states.keyGeneration());
  commitState_->catalog.setSealed(states.keyGeneration() != 0);
  std::vector<uint32_t> fileNumbers{DigestFile::kFileNumber, Catalog::kFileNumber};
  commitState_->catalog.load(*group_, [&](const Catalog::Entry &entry) {
    table_->add(entry);
    fileNumbers.push_back(entry.fileNumber);
  });
  states.load(*group_, table_->all());
  for (Keyspace *keyspace : table_->all()) keyspace->isSealed = keyspace->contents.keyGeneration != 0;
  if (options.expected) states.require(*group_, *options.expected);
  table_->setNumbers(commitState_->catalog.nextKeyspace(), commitState_->catalog.nextFileNumber());
  if (report.recoveredCommits > 0) table_->noteLostSpace();
  if (isReadOnly_) return;
  std::sort(fileNumbers.begin(), fileNumbers.end());
  group_->keepOnly(fileNumbers);
  // The files that were removed now may have taken the room for the write-back.
  if (group_->hadNoRoom()) group_->makeRoom();
  maintenance_ = std::make_unique<Maintenance>(
    *commitState_, options.storage == TDN_STORAGE_MEMORY ? INT64_MAX : options.compaction_room);
}

Session::~Session() {
  maintenance_ = nullptr;
  snapshots_.interruptAll();
  table_->endAllLoading();
  commitState_ = nullptr;
  table_ = nullptr;
}

void Session::close() {
  if (maintenance_) maintenance_->stop();
  table_->endAllLoading();
  if (!isReadOnly_) storeState();
  snapshots_.interruptAll();
  group_->close();
}

// Stores the state that is only in memory between commits: pools of free blocks, and the next row ids.
void Session::storeState() {
  Commit commit(*commitState_);
  HashWriter &writer = commitState_->writer;
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      for (Keyspace *keyspace : table_->all()) {
        std::shared_ptr<const HashFile> file;
        if (keyspace->nextRow > 0) {
          file = table_->file(*keyspace);
          if (file && file->nextRow() < keyspace->nextRow) {
            commit.touch(*keyspace);
            writer.begin(*file, keyspace->pool);
            writer.end(keyspace->nextRow);
          }
        }
        if (keyspace->pool.isLoaded && !keyspace->pool.blocks.empty()) {
          if (!file) file = table_->file(*keyspace);
          commit.touch(*keyspace);
          writer.storePool(*file, keyspace->pool);
        }
      }
      commitState_->catalog.storePool(writer);
      if (group_->applying().hasChanges || commitState_->states.mustBeClosed()) {
        commitState_->states.storeClosed(*group_);
      }
    },
    [&] { commit.undo(); });
}

// MARK: Loading

uint32_t Session::beginLoading(int32_t kind, const std::string &name, uint64_t recordCount) {
  if (isReadOnly_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  group_->throwIfPoisoned();
  Keyspace &keyspace = table_->addLoading(kind, name);
  try {
    table_->setLoader(keyspace, std::make_shared<KeyspaceLoader>(*commitState_, keyspace, recordCount));
  } catch (...) {
    table_->endLoading(keyspace.id);
    throw;
  }
  return keyspace.id;
}

void Session::load(uint32_t keyspace, const tdn_batch &batch) { table_->loader(keyspace)->append(batch); }

void Session::finishLoading(uint32_t keyspace) { table_->loader(keyspace)->finish(); }

// MARK: Keyspaces

std::vector<Session::KeyspaceInfo> Session::keyspaces() {
  std::vector<KeyspaceInfo> infos;
  for (Keyspace *keyspace : table_->all()) infos.push_back({keyspace->id, keyspace->kind, keyspace->name});
  return infos;
}

uint64_t Session::count(uint32_t id) {
  Keyspace &keyspace = table_->keyspace(id);
  return table_->read(keyspace, true, [&](const std::shared_ptr<const HashFile> &file) {
    return countIn(keyspace, file.get());
  });
}

uint64_t Session::countIn(const Keyspace &keyspace, const HashFile *file) {
  if (!file) return 0;
  return keyspace.isTree() ? TreeReader(*file).count() : file->rowCount();
}

uint64_t Session::reserveRows(uint32_t id, uint64_t count) {
  Keyspace &keyspace = table_->keyspace(id);
  if (isReadOnly_) throw Failure(TDN_READ_ONLY, "the store was opened for reading only");
  if (!keyspace.hasRows()) throw Failure(TDN_INVALID, "the keyspace has no row ids");
  group_->throwIfPoisoned();
  if (keyspace.nextRow == 0) loadNextRow(keyspace);
  uint64_t first = keyspace.nextRow;
  do {
    if (count > UINT64_MAX - first) throw Failure(TDN_LIMIT, "there are no row ids left");
  } while (!keyspace.nextRow.compare_exchange_weak(first, first + count));
  return first;
}

void Session::loadNextRow(Keyspace &keyspace) {
  table_->read(keyspace, true, [&](const std::shared_ptr<const HashFile> &file) {
    uint64_t unknown = 0, first = file ? std::max<uint64_t>(file->nextRow(), 1) : 1;
    keyspace.nextRow.compare_exchange_strong(unknown, first);
  });
}

Keyspace &Session::keyspace(Snapshot *snapshot, uint32_t id) {
  if (!snapshot) return table_->keyspace(id);
  Keyspace &keyspace = table_->keyspaceEver(id);
  // The commit that drops a keyspace makes the keyspace's part in all open snapshots.
  return keyspace.isDropped && !snapshot->fixedPart(id) ? table_->keyspace(id) : keyspace;
}

Keyspace &Session::keyspace(Snapshot *snapshot, uint32_t id, bool isTree) {
  Keyspace &keyspace = this->keyspace(snapshot, id);
  if (keyspace.isTree() != isTree) {
    throw Failure(
      TDN_INVALID, isTree ? "only a tree can be read by ranges" : "a tree can only be read by ranges of keys");
  }
  return keyspace;
}

}  // namespace todana
