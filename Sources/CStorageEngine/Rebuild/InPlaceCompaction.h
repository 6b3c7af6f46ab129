// The compaction of a data file in place. Records move towards the start of the file, over free space. Then the end of
// the file is cut off.
//
// A rebuild needs room for a copy of all records. Compaction in place needs room only for the log of a few commits.
// Each step is a commit that moves about a megabyte, and checkpoints are frequent. Other commits and reads continue
// between steps. Giving up keeps the moved records in their new places.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "../Commit/Commit.h"

namespace todana {

// The compaction of one file. Maintenance makes it if the disk has no room for a rebuild.
//
// One thread, under Maintenance's mutex for rebuilds, and with no lock of the group: it takes a ReadLock to survey, and
// commits its steps.
class InPlaceCompaction {
 public:
  // Called before each step, without a lock, with the bytes processed so far. Returns false to give up.
  using Progress = std::function<bool(uint64_t done, uint64_t total)>;

  InPlaceCompaction(
    CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> file, Progress progress)
      : state_(state), keyspace_(keyspace), file_(std::move(file)), progress_(std::move(progress)) {}
  InPlaceCompaction(const InPlaceCompaction &) = delete;
  InPlaceCompaction &operator=(const InPlaceCompaction &) = delete;

  // Moves records, and cuts the file. Throws Rebuilding::Abandoned if `progress` gave up, or if the keyspace moved to
  // another file. If records had to stay in place, throws the reason at the end: Failure(TDN_DAMAGED) for damage,
  // Failure(TDN_NO_SPACE) for a record too large for the free disk space.
  void run();

 private:
  // The progress. The file is compact before `target` and unchanged from `source` on. Between them is one free block,
  // or nothing.
  struct Position {
    int64_t target;
    int64_t source;
  };
  // A free block left before a record that stays in place.
  struct Gap {
    int64_t offset;
    int64_t size;
  };

  void skipCompact();
  void moveSome();
  void offerGap();
  void makeRoom();
  void step();
  void commit(const std::function<void(Commit &)> &change);

  // -- Inside a commit
  using Readers = std::vector<Commit::Reader>;
  void moveRecords(const Readers &readers);
  bool cut(int64_t target, int64_t source);
  int64_t logRoom() const;
  std::optional<int64_t> linkOfMovable(const HashBlock &record);
  int64_t linkTo(const HashBlock &record) const;
  bool readBlock(int64_t offset, HashBlock &block);
  void leave(const Failure &failure);
  static void noteCompacted(const Readers &readers, int64_t start, int64_t end);

  CommitState &state_;
  Keyspace &keyspace_;
  const std::shared_ptr<const HashFile> file_;
  const Progress progress_;
  Position position_{0, 0};
  int64_t room_ = 0;                // bytes free on the disk at the start
  int64_t stepBytes_ = 0;           // moved by one commit
  int64_t checkpointBytes_ = 0;     // moved between two checkpoints
  int64_t roomBesides_ = 0;         // the log space for the other changes of a commit that moves records
  int64_t unsavedBytes_ = 0;        // moved since the last checkpoint
  bool needsCheckpoint_ = false;    // before the next record is moved
  bool isAtEnd_ = false;
  std::optional<Failure> failure_;  // the reason that records stay in place
};

}  // namespace todana
