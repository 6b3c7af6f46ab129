// The building of a new data file for a keyspace, while the old one is in use.
//
// The new file is filled beside the group, in short steps, while commits go on in the old one. They note the keys that
// they change; those are applied to the new file in rounds, the last of them in the commit that puts the new file in
// the old one's place. Until that commit nothing has happened: an error, or giving up, leaves the old file.
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
  // Called before each step, without a lock, with what is done; false gives up.
  using Progress = std::function<bool(uint64_t done, uint64_t total)>;
  // Thrown when `Progress` gave up, or the keyspace lives in another file already.
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
  // Returns the bytes that the records section of the old file takes.
  uint64_t usedBytes() const { return rebuildSource_->total(); }
  // Returns the estimated bytes that the records would take in a new file.
  uint64_t neededBytes() const { return rebuildSource_->byteCount(); }
  // Returns the bytes that the records take in the old file without the free space between them.
  uint64_t liveBytes() const { return rebuildSource_->liveBytes(); }
  uint64_t recordCount() const { return rebuildSource_->recordCount(); }
  // Builds a file with `bucketCount` buckets, and replaces the old one by it.
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
  void writeStep() { rebuildSource_->write(*target_, writer_); }
  void step();

  CommitState &state_;
  Keyspace &keyspace_;
  const std::shared_ptr<const HashFile> from_;
  const Progress progress_;
  const Conversion *const conversion_;  // null: records stay as they are
  std::shared_ptr<const HashFile> target_;
  std::unique_ptr<RebuildSource> rebuildSource_;
  RebuildJournal journal_;
  bool isNoted_ = false;
  HashWriter writer_;
  FreeBlockPool pool_;
};

}  // namespace todana
