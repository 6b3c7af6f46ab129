// The filling of a new data file with the records of the old one. A subclass for each kind of keyspace decides their
// order.
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

// The source of one rebuild. Rebuilding owns it; Session surveys a file with one.
//
// One thread, which takes the locks named below.
class RebuildSource {
 public:
  // Makes the source for a keyspace. `conversion` converts records to another form; null: they are copied as they are.
  static std::unique_ptr<RebuildSource> make(
    std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion = nullptr);
  virtual ~RebuildSource() = default;
  RebuildSource(const RebuildSource &) = delete;
  RebuildSource &operator=(const RebuildSource &) = delete;

  // Surveys the old file before any other call, one step at a time. Returns false at the end. Under a ReadLock.
  bool survey();
  // Sorts the notes of the survey, after each step of it, without a lock.
  virtual void sortOut(bool isLast) { (void)isLast; }
  // Returns the estimated count of records in the new file, by the survey.
  virtual uint64_t recordCount() const = 0;
  // Returns the estimated bytes of these records.
  virtual uint64_t byteCount() const = 0;
  // Returns the bytes that the records take in the old file, without free space between them.
  uint64_t liveBytes() const { return liveBytes_; }

  // Takes some of the surveyed records. Returns false when none were left. Under a ReadLock.
  virtual bool take() = 0;
  // Sets the changed records to take next, whether they were taken before or not. Returns how many changed keys or
  // packs there are.
  size_t change(RebuildJournal changes);
  // Takes some of the changed records. Returns false when none were left. Under a ReadLock, or in a commit.
  bool takeChanged();
  // Writes the taken records to the new file, which no other thread uses yet: no lock is needed.
  virtual void write(const HashFile &target, HashWriter &writer) = 0;

  // Return the progress of the survey, from 0 to `total`.
  uint64_t total() const { return static_cast<uint64_t>(end_ - from_->recordStart()); }
  uint64_t surveyed() const { return static_cast<uint64_t>(offset_ - from_->recordStart()); }
  virtual uint64_t taken() const = 0;

 protected:
  RebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion)
      : from_(std::move(from)), keyspace_(keyspace), conversion_(conversion), offset_(from_->recordStart()),
        end_(from_->end()) {}

  // Notes a record of the old file that the survey has met.
  virtual void note(const HashBlock &record) = 0;
  // Keeps the changes. Returns how many there are to take.
  virtual size_t keep(RebuildJournal changes) = 0;
  // Takes the change with this index.
  virtual void takeChange(size_t index) = 0;
  uint64_t recordSize(uint64_t keyLength, uint64_t valueLength) const {
    return static_cast<uint64_t>(from_->recordSize(keyLength, valueLength));
  }

  const std::shared_ptr<const HashFile> from_;
  const Keyspace &keyspace_;
  RecordConversion *const conversion_;
  int64_t offset_;
  const int64_t end_;
  std::string bytes_;  // that are taken, and not written yet

 private:
  size_t changeCount_ = 0;
  size_t nextChange_ = 0;
  uint64_t liveBytes_ = 0;
};

}  // namespace todana
