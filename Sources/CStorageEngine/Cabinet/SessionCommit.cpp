// Commits of a session: batches, repairs of damaged pages, and the states of keyspaces.
#include "Session.h"

#include <algorithm>
#include <optional>

#include "../Commit/BatchCommit.h"
#include "../Kyoto/PageAcceptance.h"
#include "../Rebuild/RandomID.h"

namespace todana {

namespace {

// The attempts to commit on a full disk, counted from 0.
constexpr int kFirstWithReserve = 3, kLastAttempt = 4;

}  // namespace

// Makes room on a full disk: first writes the log back, then also ends a copy that is being built, and last compacts
// files. After that, a commit that removes records may use the room that it should leave for the next compaction.
uint64_t Session::commit(const tdn_batch &batch, FileGroup::Durability durability, std::vector<uint64_t> &conflicts) {
  std::optional<Maintenance::Pause> pause;
  for (int attempt = 0;; attempt++) {
    try {
      return repairing([&] { return tryCommit(batch, durability, attempt >= kFirstWithReserve, conflicts); });
    } catch (const Failure &failure) {
      if (failure.code != TDN_NO_SPACE || attempt == kLastAttempt) throw;
      if (attempt == 1) pause.emplace(*maintenance_);
      if (attempt >= 2) maintenance_->compactAll(attempt > 2);
      group_->makeRoom();
    }
  }
}

// Repairs the page that a failure names, if it belongs to a data file and one of its bits is wrong. Accepts the page as
// it is if only values are damaged. The next commit writes the page.
bool Session::repair(const Failure &failure) {
  if (isReadOnly_ || failure.page < 0) return false;
  for (Keyspace *keyspace : table_->all()) {
    if (keyspace->fileNumber == 0 || FileTable::fileName(*keyspace, keyspace->fileNumber) != failure.file) continue;
    const std::shared_ptr<const HashFile> file = table_->file(*keyspace);
    if (!file || file->file()->name() != failure.file) return false;
    bool isRepaired = false;
    group_->commit(
      randomID().data(), FileGroup::Durability::bulk,
      [&] {
        isRepaired = file->file()->repairPage(failure.page) ||
                     (!keyspace->isTree() && PageAcceptance(*file, failure.page).isAcceptable() &&
                      file->file()->acceptPage(failure.page));
      },
      [] {});
    return isRepaired;
  }
  return false;
}

uint64_t Session::tryCommit(
  const tdn_batch &batch, FileGroup::Durability durability, bool mayUseReserve, std::vector<uint64_t> &conflicts) {
  Batch checked(batch, *table_);
  if (keyRing()) countSeals();
  BatchCommit commit(*commitState_, checked);
  uint64_t number;
  try {
    const std::vector<BatchRun> &runs = checked.runs();
    const bool makesRoom =
      !runs.empty() && std::none_of(runs.begin(), runs.end(), [](const BatchRun &run) { return run.putCount > 0; });
    using Reserve = DiskRoom::Reserve;
    const Reserve reserve = !makesRoom ? Reserve::all : mayUseReserve ? Reserve::none : Reserve::forCompaction;
    number = group_->commit(
      batch.id, durability, [&] { commit.apply(); }, [&] { commit.undo(); }, reserve);
    if (makesRoom) maintenance_->noteRemoval();
  } catch (const Conflict &) {
    conflicts = commit.conflicts();
    throw;
  }
  for (Keyspace *keyspace : commit.needy()) maintenance_->request(*keyspace);
  return number;
}

// Stores the count of seals if too many are not counted yet. Called before the new seals are written. Seals of failed
// commits count, too.
void Session::countSeals() {
  DigestFile &states = commitState_->states;
  if (states.needsNewEpoch(sealLimit_) && makeEpoch_) {
    MutexLock lock(epochMutex_);
    if (states.needsNewEpoch(sealLimit_)) makeEpoch_();
  }
  // Before the first commit there are no files yet. The first commit creates the catalog and the states together.
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

// MARK: States

void Session::requireConsistentStates() const {
  if (statesAreConsistent()) return;
  throw Failure(
    TDN_CONTENTS_MISMATCH,
    "some files of the store are older than others: first accept its contents, or restore a backup");
}

uint32_t Session::statesKeyGeneration() {
  FileGroup::ReadLock lock(*group_);
  return commitState_->states.keyGeneration();
}

tdn_anchor Session::anchor() {
  group_->flush();
  FileGroup::ReadLock lock(*group_);
  return commitState_->states.anchor(*group_);
}

void Session::setKeys(const std::shared_ptr<const KeyRing> &ring) {
  const auto sealers = std::make_shared<SealerPool>(ring);
  // The fields are set within a commit, because they are used only by commits and under read locks.
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

void Session::rewriteStates(uint32_t keyGeneration, uint32_t newKeyGeneration) {
  Commit commit(*commitState_);
  const uint32_t earlierKeyGeneration = table_->newKeyGeneration();
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      table_->setNewGeneration(newKeyGeneration);
      commit.rewriteStates(keyGeneration, newKeyGeneration);
    },
    [&] {
      commit.undo();
      table_->setNewGeneration(earlierKeyGeneration);
    });
}

void Session::accept(const std::vector<Commit::Acceptance> &accepted) {
  if (group_->commitNumber() == 0) return;  // an empty store has no records to accept
  Commit commit(*commitState_);
  group_->commit(
    randomID().data(), FileGroup::Durability::full,
    [&] {
      commit.begin();
      commit.accept(accepted);
    },
    [&] { commit.undo(); });
}

}  // namespace todana
