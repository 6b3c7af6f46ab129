// The rebuilding of a keyspace's data file while the old one is in use.
//
// The new file is filled as a building file, in short steps, while commits continue in the old one. They note the keys
// that they change. The changed records are copied to the new file in rounds. The last round is part of the commit that
// replaces the old file. Before that commit, an error or giving up leaves the old file in use.
#pragma once

#include <functional>
#include <memory>

#include "../Commit/Commit.h"
#include "RebuildSource.h"

namespace todana {

// One rebuild. Maintenance makes it, on its background thread or on a caller's.
//
// One thread, with no lock of the group held: steps take a ReadLock, and the last one commits.
class Rebuilding {
 public:
  // Called before each step, without a lock, with the work done so far. Returns false to give up.
  using Progress = std::function<bool(uint64_t done, uint64_t total)>;
  // Thrown if `Progress` gave up, or if the keyspace is already in another file.
  struct Abandoned {};

  Rebuilding(CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress);
  // A conversion to another form. In the commit that ends the rebuild, `digest` returns the keyspace's new digest.
  struct Conversion {
    RecordConversion &records;
    std::function<KeyspaceDigest::Sum()> digest;
  };
  Rebuilding(
    CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress,
    const Conversion &conversion);
  ~Rebuilding();
  Rebuilding(const Rebuilding &) = delete;
  Rebuilding &operator=(const Rebuilding &) = delete;

  // Surveys the old file, before any other call.
  void survey();
  // Returns the size of the record section of the old file.
  uint64_t usedBytes() const { return rebuildSource_->total(); }
  // Returns the estimated size of the records in a new file.
  uint64_t neededBytes() const { return rebuildSource_->byteCount(); }
  // Returns the size of the records in the old file, without the free space between them.
  uint64_t liveBytes() const { return rebuildSource_->liveBytes(); }
  uint64_t recordCount() const { return rebuildSource_->recordCount(); }
  // Throws Failure(TDN_NO_SPACE) with the number of missing bytes if the disk lacks room for `byteCount` and for
  // concurrent commits.
  void requireRoom(int64_t byteCount);
  // Builds a file with `bucketCount` buckets, and replaces the old file by it.
  void run(uint64_t bucketCount);

 private:
  Rebuilding(
    CommitState &state, Keyspace &keyspace, std::shared_ptr<const HashFile> from, Progress progress,
    const Conversion *conversion);
  bool isSealed() const { return conversion_ ? conversion_->records.keyGeneration() != 0 : keyspace_.isSealed.load(); }
  void create(uint64_t bucketCount);
  void writeBackAllChanges();
  size_t writeBackChanges();
  void switchOver();
  void writeStep();
  void step();

  CommitState &state_;
  Keyspace &keyspace_;
  const std::shared_ptr<const HashFile> from_;
  const Progress progress_;
  const Conversion *const conversion_;  // null: records are not converted
  std::shared_ptr<const HashFile> target_;
  std::unique_ptr<RebuildSource> rebuildSource_;
  RebuildJournal journal_;
  bool isNoted_ = false;
  HashWriter writer_;
  FreeBlockPool pool_;
};

}  // namespace todana
