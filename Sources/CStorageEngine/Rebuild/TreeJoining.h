// The joining of a tree's leaves, before its file is compacted. Removed records leave leaves half empty.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

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

  // Joins neighbouring leaves that fit into one. The file may grow, because a joined leaf may fit into no free block. On
  // a full disk, takes smaller steps, and leaves room for compaction in place. Throws Rebuilding::Abandoned if
  // `progress` gave up, or if the keyspace moved to another file. Throws Failure(TDN_NO_SPACE) if the disk lacks room
  // for the smallest step.
  void run();

 private:
  std::optional<std::string> join(const std::string &key, int leafCount);

  CommitState &state_;
  Keyspace &keyspace_;
  const std::shared_ptr<const HashFile> file_;
  const Progress progress_;
};

}  // namespace todana
