// The state after one commit, which stays readable while later commits change the files.
//
// Opening a snapshot copies nothing. A commit passes the old value of each record that it changes, moves or removes to
// the open snapshots. A snapshot keeps only the first old value of each key. A record without an old value is still in
// the file, at its old offset. A replaced file (after growth or a rebuild) exists as long as a snapshot holds it.
// Compaction in place moves records. The compacted ranges are noted, and scans read old values instead of these ranges.
//
// Threads: commits change a snapshot while readers are excluded (FileGroup::commit's `apply`). Other threads read it
// under a FileGroup::ReadLock.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../Disk/Mutex.h"
#include "../Kyoto/HashFile.h"
#include "KeyspaceDigest.h"
#include "SpillBuffer.h"

namespace todana {

// A record in the snapshot's state. A value.
struct OldRecord {
  static constexpr int64_t kAbsent = -1;

  int64_t offset = kAbsent;  // the record's offset in the file
  uint64_t position = 0;     // the value's position in the snapshot's buffer
  size_t length = 0;

  bool exists() const { return offset != kAbsent; }
};

// The state of one keyspace in a snapshot. Commits add old values with readers excluded; HashScan, TreeScan and
// RecordReader read them under a ReadLock.
struct SnapshotPart {
  std::shared_ptr<const HashFile> file;  // null: there was none yet, so the keyspace is empty
  int64_t end = 0;                       // of the file: later content is not part of this state
  uint64_t count = 0;
  DigestEntry contents;

  // The old records of hash files.
  std::unordered_map<std::string, OldRecord> changed;
  std::map<int64_t, const std::string *> changedAt;  // keys by old offsets, the order of scans
  // The ranges of the file that compaction has rewritten since. All records of this state in them are in `changedAt`.
  // Ordered by offset; adjacent ranges are joined.
  struct Range {
    int64_t start;
    int64_t end;
  };
  std::vector<Range> compacted;
  void noteCompacted(Range range);
  // Returns the compacted range that contains an offset, or null.
  const Range *compactedRange(int64_t offset) const;
  // The old records of trees, in the order of scans.
  std::map<std::string, OldRecord, std::less<>> changedInOrder;
};

// An open snapshot. SnapshotList opens it. RecordsChange, TreeKeyspaceWriter and InPlaceCompaction add old values.
// Session and the scans read it.
//
// Any thread under a ReadLock; commits with readers excluded. Its mutex guards the map of parts only. `interrupt` is
// called when the session ends.
class Snapshot {
 public:
  Snapshot(uint64_t commitNumber, const std::shared_ptr<MemoryBudget> &budget, bool isEncrypted)
      : commitNumber_(commitNumber), oldValues_(budget, isEncrypted) {}
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;

  uint64_t commitNumber() const { return commitNumber_; }
  bool hasFailed() const { return failure_.has_value(); }

  // Returns the keyspace's part. The first call makes it from `file`, `count` and `contents`, the keyspace's current
  // ones. They are still those of the snapshot, because a commit calls this before it changes the keyspace.
  SnapshotPart &part(
    uint32_t keyspace, const std::shared_ptr<const HashFile> &file, uint64_t count, const DigestEntry &contents);
  // Returns the part if `part` has made it, otherwise null. The part keeps its address until `interrupt`.
  SnapshotPart *fixedPart(uint32_t keyspace);

  // -- For commits, which call `keepAbsent` after a change, and the other functions before it. If there is no space for
  // an old value, the snapshot ends, and the commit continues.
  void keep(SnapshotPart &part, std::string_view key, const HashBlock &record);
  void keepAbsent(SnapshotPart &part, std::string_view key);
  // `value`: null if there was no record.
  void keepInOrder(SnapshotPart &part, std::string_view key, const char *value, size_t length);

  void readOldValue(const OldRecord &record, char *buffer) const {
    oldValues_.read(record.position, buffer, record.length);
  }

  // Throws the failure that ended the snapshot, if there is one.
  void check() const {
    if (failure_) throw *failure_;
  }
  // Ends the snapshot and releases all files.
  void interrupt();

 private:
  OldRecord store(int64_t offset, const char *value, size_t length);

  const uint64_t commitNumber_;
  Mutex mutex_;  // guards the map of parts, which readers add to
  std::unordered_map<uint32_t, std::unique_ptr<SnapshotPart>> parts_ TDN_GUARDED_BY(mutex_);
  SpillBuffer oldValues_;
  std::optional<Failure> failure_;
};

}  // namespace todana
