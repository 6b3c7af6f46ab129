// The batch ids of the last 1,024 commits, with which a program can find out whether a save counts
// (docs/formats/redo-log.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"

namespace todana {

// The list of commits in memory, and its file with two slots. The newest slot has the number of the commit up to which
// the main files are complete.
//
// FileGroup loads it at recovery and adds each commit; Checkpointer writes it. `newest`, `add`, `batchID` and `find`:
// any thread, under its own mutex. `load`, `write` and `copy`: one thread at a time, in recovery or under the
// mutex of Checkpointer.
class CommitRing {
 public:
  using BatchID = std::array<uint8_t, 16>;
  static constexpr size_t kCapacity = 1024;
  static constexpr const char *kFileName = "commits";

  enum class Outcome { found, missing, damaged };
  // Reads the newest valid slot. Returns `damaged` if the file has none. Then the file was either damaged later, or its
  // first write was interrupted and the log has every commit. `repairsBits`: repairs a slot with a single wrong bit.
  Outcome load(Disk &disk, bool repairsBits);
  // Flushes the file, because a killed process may have written it without a flush.
  static void flush(Disk &disk);
  // Writes and flushes the state as of commit `upTo`, to the slot that does not have the newest state on disk.
  // A new file gets it in both slots.
  void write(Disk &disk, uint64_t upTo);
  // Writes and flushes the state of the newest slot to the other one, unless it is there. A closed store needs only one
  // of them.
  void copy(Disk &disk);

  // Tests whether both slots are undamaged. The caller holds the mutex of Checkpointer, so that no slot is being
  // written. An interrupted write damages its slot.
  static bool areSlotsSound(Disk &disk);

  // Returns the number of the newest commit; 0 if there is none.
  uint64_t newest() const;
  void add(uint64_t commitNumber, const uint8_t id[16]);
  // Returns the batch id of one of the last 1,024 commits.
  std::optional<BatchID> batchID(uint64_t commitNumber) const;
  // Returns the number of the commit with this batch id, or 0.
  uint64_t find(const uint8_t id[16]) const;

 private:
  std::vector<char> slot(uint64_t upTo) const;

  mutable Mutex mutex_;
  std::deque<BatchID> ids_ TDN_GUARDED_BY(mutex_);  // the last one belongs to newest_
  uint64_t newest_ TDN_GUARDED_BY(mutex_) = 0;
  // For `load`, `write` and `copy`: the newest slot on disk, and the commit that it has.
  int newestSlot_ = 1;
  uint64_t written_ = 0;
};

}  // namespace todana
