// The ids of the last 1,024 batches, by which a program can ask whether a save counted (docs/formats/redo-log.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "../Disk/Disk.h"
#include "../Disk/Mutex.h"

namespace todana {

class CommitRing {
 public:
  using BatchID = std::array<uint8_t, 16>;
  static constexpr size_t kCapacity = 1024;
  static constexpr const char *kFileName = "commits";

  enum class Outcome { found, missing, damaged };
  // Reads the newest valid slot. `damaged`: the file has none. Either it was damaged later, or its first writing was cut
  // short, and then the log holds every commit. `repairsBits`: a slot with a single wrong bit is taken for valid.
  Outcome load(Disk &disk, bool repairsBits);
  // Makes durable what was read: a killed process may have written it, and not flushed it.
  static void flush(Disk &disk);
  // Writes and flushes the slot that does not hold the newest state on disk: the state as of commit `upTo`.
  void write(Disk &disk, uint64_t upTo);

  // Whether both slots are as they were written, where nobody writes meanwhile, and no writing was cut short.
  static bool areSlotsSound(Disk &disk);

  // The newest commit; 0 if there has been none.
  uint64_t newest() const;
  void add(uint64_t commitNumber, const uint8_t id[16]);
  // Of one of the last 1,024 commits.
  std::optional<BatchID> batchID(uint64_t commitNumber) const;
  // The commit of a batch, or 0.
  uint64_t find(const uint8_t id[16]) const;

 private:
  mutable Mutex mutex_;
  std::deque<BatchID> ids_ TDN_GUARDED_BY(mutex_);  // the last one belongs to newest_
  uint64_t newest_ TDN_GUARDED_BY(mutex_) = 0;
  int newestSlot_ = 1;  // of the thread that writes it
};

}  // namespace todana
