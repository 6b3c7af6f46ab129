#include "TreeJoining.h"

#include "../Disk/Failure.h"
#include "../Kyoto/TreeWriter.h"
#include "RandomID.h"
#include "Rebuilding.h"

namespace todana {

namespace {

// The leaves of one commit, for which readers wait about a millisecond.
constexpr int kStepLeaves = 128;
// The leaves of a commit on a full disk.
constexpr int kLeastLeaves = 2;

}  // namespace

void TreeJoining::run() {
  std::optional<std::string> key(std::in_place);
  int leafCount = kStepLeaves;
  while (key) {
    if (!progress_(0, 1)) throw Rebuilding::Abandoned();
    try {
      key = join(*key, leafCount);
    } catch (const Failure &failure) {
      if (failure.code != TDN_NO_SPACE) throw;
      if (state_.group.makeRoom()) continue;
      if (leafCount <= kLeastLeaves) throw;
      leafCount /= 2;
    }
  }
}

// Joins the leaves from a key on in one commit. Returns the key from which to go on, or nothing after the last leaf.
std::optional<std::string> TreeJoining::join(const std::string &key, int leafCount) {
  Commit commit(state_);
  std::optional<std::string> next;
  state_.group.commit(
    randomID().data(), FileGroup::Durability::bulk,
    [&] {
      commit.begin();
      if (keyspace_.fileNumber != file_->number()) throw Rebuilding::Abandoned();
      if (file_->count() == 0) return;
      commit.touch(keyspace_);
      state_.writer.begin(*file_, keyspace_.pool);
      TreeWriter tree(*file_, state_.writer, keyspace_.journal ? &keyspace_.journal->keys : nullptr);
      next = tree.join(key, leafCount);
      tree.finish();
      state_.writer.end(0);
      commit.finish();
    },
    [&] { commit.undo(); }, DiskRoom::Reserve::forCompaction);
  return next;
}

}  // namespace todana
