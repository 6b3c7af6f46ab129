// Fills a new data file with what a keyspace has in its old one: which records there are, in which order, is for each
// kind of keyspace to say.
//
// Reading and writing take turns: what `take` reads under a read lock, `write` puts into the new file without one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../Keyspaces/RecordConversion.h"
#include "../Keyspaces/Keyspace.h"
#include "../Kyoto/HashWriter.h"
#include "../Kyoto/RowPack.h"
#include "../Snapshots/StepLimit.h"

namespace todana {

class RebuildSource {
 public:
  // `conversion`: what puts records into another form on their way; null: they are copied as they are.
  static std::unique_ptr<RebuildSource> make(
    std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion = nullptr);
  virtual ~RebuildSource() = default;
  RebuildSource(const RebuildSource &) = delete;
  RebuildSource &operator=(const RebuildSource &) = delete;

  // First of all: looks at the old file, one step at a time. False at the end. Under a read lock.
  bool survey();
  // After each step of the survey, without a lock: puts in order what it noted.
  virtual void sortOut(bool isLast) { (void)isLast; }
  // What the survey found: how many records the new file will have, and how long they are, about.
  virtual uint64_t recordCount() const = 0;
  virtual uint64_t byteCount() const = 0;
  // Bytes that the records take in the old file, without free space between them.
  uint64_t liveBytes() const { return liveBytes_; }

  // Takes some of what the survey found; false when there was nothing left. Under a read lock.
  virtual bool take() = 0;
  // What is to be taken next: these records were changed, whether they were taken before or not. Returns how much there is
  // to do.
  virtual size_t change(RebuildJournal changes) = 0;
  // Takes some of those; false when there was nothing left. Under a read lock, or in a commit.
  virtual bool takeChanged() = 0;
  // Puts what was taken into the new file. Nobody else knows that file, so no lock is needed.
  virtual void write(const HashFile &target, HashWriter &writer) = 0;

  // Of what was surveyed, from 0 to `total`.
  uint64_t total() const { return static_cast<uint64_t>(end_ - from_->recordStart()); }
  uint64_t surveyed() const { return static_cast<uint64_t>(offset_ - from_->recordStart()); }
  virtual uint64_t taken() const = 0;

 protected:
  RebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion)
      : from_(std::move(from)), keyspace_(keyspace), conversion_(conversion), offset_(from_->recordStart()),
        end_(from_->end()) {}

  virtual void note(const HashBlock &record) = 0;
  uint64_t recordSize(uint64_t keyLength, uint64_t valueLength) const {
    return static_cast<uint64_t>(from_->recordSize(keyLength, valueLength));
  }

  const std::shared_ptr<const HashFile> from_;
  const Keyspace &keyspace_;
  RecordConversion *const conversion_;
  int64_t offset_;
  const int64_t end_;

 private:
  uint64_t liveBytes_ = 0;
};

}  // namespace todana
