// The joining of a tree's leaves, before its file is compacted. Removed records leave leaves half empty.
#pragma once

#include <functional>
#include <memory>

#include "../Commit/Commit.h"

namespace todana {

// The joining of one tree's leaves, in small commits. Other commits and reads continue between them.
//
// Maintenance makes it. One thread, under Maintenance's mutex for rebuilds, and with no lock of the group.
class TreeJoining {
 public:
  // Called before each step, without a lock. Returns false to give up.
  using Progress = std::function<bool(uint64_t done, uint64_t total)>;

  TreeJoining(CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> file, Progress progress)
      : state_(state), keyspace_(keyspace), file_(std::move(file)), progress_(std::move(progress)) {}
  TreeJoining(const TreeJoining &) = delete;
  TreeJoining &operator=(const TreeJoining &) = delete;

  // Joins neighbouring leaves that fit into one. Throws Rebuilding::Abandoned if `progress` gave up, or if the keyspace
  // moved to another file.
  void run();

 private:
  CommitState &state_;
  Keyspace &keyspace_;
  const std::shared_ptr<const HashFile> file_;
  const Progress progress_;
};

}  // namespace todana
