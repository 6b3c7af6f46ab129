// The source of a rebuild: it copies the records of the old data file to the new one. A subclass for each kind of
// keyspace determines their order.
//
// Reading and writing alternate: `take` reads records under a read lock, and `write` puts them into the new file
// without one.
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
// One thread, which takes the locks that the functions name.
class RebuildSource {
 public:
  // Makes the source for a keyspace. `conversion` converts records to another form; if null, records are copied
  // unchanged.
  static std::unique_ptr<RebuildSource> make(
    std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion = nullptr);
  virtual ~RebuildSource() = default;
  RebuildSource(const RebuildSource &) = delete;
  RebuildSource &operator=(const RebuildSource &) = delete;

  // Surveys the old file, one step at a time, before any other call. Returns false at the end. Under a ReadLock.
  bool survey();
  // Sorts the data that the survey has collected. Called after each step of the survey, without a lock.
  virtual void sortOut(bool isLast) { (void)isLast; }
  // Returns the number of records in the new file, as estimated by the survey.
  virtual uint64_t recordCount() const = 0;
  // Returns the estimated size of these records.
  virtual uint64_t byteCount() const = 0;
  // Returns the size of the records in the old file, without the free space between them.
  uint64_t liveBytes() const { return liveBytes_; }

  // Takes some of the surveyed records. Returns false if none were left. Under a ReadLock.
  virtual bool take() = 0;
  // Sets the changed records to take next, whether or not they were taken before. Returns the number of changed keys or
  // packs.
  size_t change(RebuildJournal changes);
  // Takes some of the changed records. Returns false if none were left. Under a ReadLock, or in a commit.
  bool takeChanged();
  // Writes the taken records to the new file. It needs no lock, because no other thread uses that file yet.
  virtual void write(const HashFile &target, HashWriter &writer) = 0;

  // Return the progress of the survey, from 0 to `total`.
  uint64_t total() const { return static_cast<uint64_t>(end_ - from_->recordStart()); }
  uint64_t surveyed() const { return static_cast<uint64_t>(offset_ - from_->recordStart()); }
  virtual uint64_t taken() const = 0;

 protected:
  RebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion)
      : from_(std::move(from)), keyspace_(keyspace), conversion_(conversion), offset_(from_->recordStart()),
        end_(from_->end()) {}

  // Notes a record of the old file during the survey.
  virtual void note(const HashBlock &record) = 0;
  // Stores the changes. Returns the number of changed keys or packs to take.
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
  std::string bytes_;  // taken and not written yet

 private:
  size_t changeCount_ = 0;
  size_t nextChange_ = 0;
  uint64_t liveBytes_ = 0;
};

}  // namespace todana
