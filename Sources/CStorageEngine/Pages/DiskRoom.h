// The disk space that commits leave for the pages that the log must still write back to the main files.
#pragma once

#include <atomic>
#include <cstdint>

#include "../Disk/Disk.h"
#include "GroupSettings.h"

namespace todana {

// The free space of a group's disk, as far as it matters. GroupState owns it, FileGroup asks before each commit, and
// Checkpointer after each checkpoint.
//
// `require` under the commit mutex; the others: any thread.
class DiskRoom {
 public:
  DiskRoom(Disk &disk, const GroupSettings &settings) : disk_(disk), settings_(settings) {}

  // Tests whether the disk may have too little room for a commit that takes `byteCount`. Counts the bytes; asks the
  // system only if the room was small, or after that many bytes.
  bool mayBeShort(int64_t byteCount);
  // Throws Failure(TDN_NO_SPACE) with the number of missing bytes if the disk lacks room for `logBytes` of the log and
  // for the growth of main files by `pendingBytes`. `liveBytes`: the log so far.
  void require(int64_t logBytes, int64_t pendingBytes, int64_t liveBytes, bool leavesReserve);
  // Returns the room that the write-back needs besides the growth of main files: for all pages of the log if the file
  // system writes changed pages to another place.
  int64_t forCopies(int64_t liveBytes) const { return isCopying_ ? liveBytes + kLeastForCopies : 0; }
  // Returns the disk space for pages and their checksums. Each page of 4 KiB has a checksum of 8 bytes.
  static int64_t withChecksums(int64_t byteCount) { return byteCount + byteCount / 512; }
  // Tests whether the disk has so little room that logs are not kept for reuse.
  bool isSmall();

 private:
  // The space for the list of the last commits, for names and for metadata.
  static constexpr int64_t kLeast = 64 << 10;
  // The space that commits which let files grow leave for those that make room.
  static constexpr int64_t kReserve = 256 << 10;
  // The space for the metadata of a file system that copies changed pages, which changes with
  // each of them.
  static constexpr int64_t kLeastForCopies = 4 << 20;
  static constexpr int64_t kReserveForCopies = 8 << 20;

  // Returns the room that suffices whatever the logs have.
  int64_t ample() const { return 4 * settings_.logLimit + (64 << 20); }
  int64_t ask();

  Disk &disk_;
  const GroupSettings &settings_;
  const bool isCopying_ = disk_.isCopying();
  std::atomic<int64_t> known_{0};
  int64_t usedSince_ = 0;  // bytes since the system was asked
};

}  // namespace todana
