// The state after one commit, kept readable while later commits change the files.
//
// A snapshot copies nothing when it is opened. A commit hands the old value of each record that it changes, moves or
// removes to every open snapshot that does not have that key yet; a record without an old value is still in the file,
// at its old offset. A file that is replaced (because it grows, or is rebuilt) exists as long as a snapshot holds it.
// Compaction in place moves records; the ranges where it did are noted, so that scans leave them out and read the old
// values instead.
//
// Threads: commits change a snapshot while readers are excluded (FileGroup::commit's `apply`); other threads read it
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

// A record as it was in the snapshot's state. A value.
struct OldRecord {
  static constexpr int64_t kAbsent = -1;

  int64_t offset = kAbsent;  // where the record stood
  uint64_t position = 0;     // of the value in the snapshot's buffer
  size_t length = 0;

  bool exists() const { return offset != kAbsent; }
};

// One keyspace as the snapshot sees it. Commits add old values with readers excluded; HashScan, TreeScan and
// RecordReader read them under a ReadLock.
struct SnapshotPart {
  std::shared_ptr<const HashFile> file;  // null: there was none yet, so the keyspace is empty
  int64_t end = 0;                       // of the file: whatever was appended later is not of this state
  uint64_t count = 0;
  DigestEntry contents;

  // Hash files.
  std::unordered_map<std::string, OldRecord> changed;
  std::map<int64_t, const std::string *> changedAt;  // keys by the old offset: scans go by offsets
  // Ranges of the file that compaction has laid out again since: all that this state has in them is in `changedAt`. In
  // the order of offsets, none touching the next.
  struct Range {
    int64_t start;
    int64_t end;
  };
  std::vector<Range> compacted;
  void noteCompacted(Range range);
  // The compacted range that has an offset; null where none has.
  const Range *compactedRange(int64_t offset) const;
  // Trees: scans go by keys.
  std::map<std::string, OldRecord, std::less<>> changedInOrder;
};

// An open snapshot. SnapshotList opens it; RecordsChange, TreeKeyspaceWriter and InPlaceCompaction hand it old values;
// Session and the scans read it.
//
// Any thread under a ReadLock, commits with readers excluded. Its mutex guards the map of parts only. `interrupt` is
// called when the session ends.
class Snapshot {
 public:
  Snapshot(uint64_t commitNumber, int64_t memoryLimit, bool isEncrypted)
      : commitNumber_(commitNumber), oldValues_(memoryLimit, isEncrypted) {}
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;

  uint64_t commitNumber() const { return commitNumber_; }

  // Returns the keyspace's part, and fixes it if it was not fixed before: no commit has changed the keyspace since the
  // snapshot was opened, because a commit asks for the part before it changes something. `file` is what the keyspace
  // has now.
  SnapshotPart &part(
    uint32_t keyspace, const std::shared_ptr<const HashFile> &file, uint64_t count, const DigestEntry &contents);
  // Returns the part if it is fixed already, else null. It keeps its address until `interrupt`.
  SnapshotPart *fixedPart(uint32_t keyspace);

  // -- For commits, before (`keep`) or after (`keepAbsent`) the change.
  // A failure (no space for old values) ends the snapshot, not the commit.
  void keep(SnapshotPart &part, std::string_view key, const HashBlock &record);
  void keepAbsent(SnapshotPart &part, std::string_view key);
  // `value` null: there was no record.
  void keepInOrder(SnapshotPart &part, std::string_view key, const char *value, size_t length);

  void readOldValue(const OldRecord &record, char *buffer) const {
    oldValues_.read(record.position, buffer, record.length);
  }

  // Throws the failure that has ended the snapshot, if one has.
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
