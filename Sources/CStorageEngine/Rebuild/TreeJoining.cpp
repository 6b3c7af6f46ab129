#include "TreeJoining.h"

#include <optional>
#include <string>

#include "../Kyoto/TreeWriter.h"
#include "RandomID.h"
#include "Rebuilding.h"

namespace todana {

namespace {

// The leaves of one commit, for which readers wait about a millisecond.
constexpr int kStepLeaves = 128;

}  // namespace

void TreeJoining::run() {
  std::optional<std::string> key(std::in_place);
  while (key) {
    if (!progress_(0, 1)) throw Rebuilding::Abandoned();
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
        next = tree.join(*key, kStepLeaves);
        tree.finish();
        state_.writer.end(0);
        commit.finish();
      },
      [&] { commit.undo(); });
    key = next;
  }
}

}  // namespace todana
