// The ids of the last 1,024 batches, by which a program can ask whether a save counted (docs/formats/redo-log.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"

namespace todana {

// The list of commits in memory, and its file of two slots. The newest slot says up to which commit the main files are
// complete.
//
// FileGroup loads it at recovery and adds each commit; Checkpointer writes it. `newest`, `add`, `batchID` and `find`:
// any thread, under its own mutex. `load` and `write`: one thread at a time, as recovery or under the mutex of
// Checkpointer.
class CommitRing {
 public:
  using BatchID = std::array<uint8_t, 16>;
  static constexpr size_t kCapacity = 1024;
  static constexpr const char *kFileName = "commits";

  enum class Outcome { found, missing, damaged };
  // Reads the newest valid slot. `damaged`: the file has none. Either it was damaged later, or its first writing was
  // cut short, and then the log holds every commit. `repairsBits`: a slot with a single wrong bit is taken for valid.
  Outcome load(Disk &disk, bool repairsBits);
  // Flushes the file: a killed process may have written it without flushing it.
  static void flush(Disk &disk);
  // Writes and flushes the slot that does not hold the newest state on disk: the state as of commit `upTo`.
  void write(Disk &disk, uint64_t upTo);

  // Tests whether both slots are as they were written. The caller holds the mutex of Checkpointer, so that no slot is
  // being written. A write that was cut short makes its slot unsound.
  static bool areSlotsSound(Disk &disk);

  // Returns the newest commit; 0 if there has been none.
  uint64_t newest() const;
  void add(uint64_t commitNumber, const uint8_t id[16]);
  // Returns the batch of one of the last 1,024 commits.
  std::optional<BatchID> batchID(uint64_t commitNumber) const;
  // Returns the commit of a batch, or 0.
  uint64_t find(const uint8_t id[16]) const;

 private:
  mutable Mutex mutex_;
  std::deque<BatchID> ids_ TDN_GUARDED_BY(mutex_);  // the last one belongs to newest_
  uint64_t newest_ TDN_GUARDED_BY(mutex_) = 0;
  int newestSlot_ = 1;  // for `load` and `write`
};

}  // namespace todana
