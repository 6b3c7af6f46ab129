// The disk space that commits leave for the pages that the log must still write back to the main files.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "../Disk/Disk.h"
#include "GroupSettings.h"

namespace todana {

class DataFile;

// The free space of a group's disk, as far as it matters. GroupState owns it, FileGroup asks before each commit, and
// Checkpointer after each checkpoint.
//
// `require` under the commit mutex; the others: any thread.
class DiskRoom {
 public:
  // The space that a commit leaves free: all of the reserve, so that later commits can remove records; the part in
  // which files can be compacted, for a commit that removes records; or none.
  enum class Reserve { all, forCompaction, none };

  DiskRoom(Disk &disk, const GroupSettings &settings) : disk_(disk), settings_(settings) {}

  // Tests whether the disk may have too little room for a commit that takes `byteCount`. Counts the bytes; asks the
  // system only if the room was small, or after that many bytes.
  bool mayBeShort(int64_t byteCount);
  // Throws Failure(TDN_NO_SPACE) with the number of missing bytes if the disk lacks room for `logBytes` of the log, for
  // the growth of main files by `pendingBytes`, and for `reserve`. `pageBytes`: all pages that the log then has.
  void require(int64_t logBytes, int64_t pendingBytes, int64_t pageBytes, int64_t reserve);
  // Returns the size of a reserve. `files`: the open files.
  int64_t size(Reserve reserve, const std::vector<std::shared_ptr<DataFile>> &files) const;
  // Returns the room that the write-back needs besides the growth of main files: for all pages of the log if the file
  // system writes changed pages to another place.
  int64_t forCopies(int64_t pageBytes) const { return isCopying_ ? pageBytes + kLeastForCopies : 0; }
  // Returns the room that commits may use if the disk has `free` bytes left.
  static int64_t usable(int64_t free) { return free - kLeast; }
  // Tests whether the disk has so little room that logs are not kept for reuse.
  bool isSmall();

 private:
  // The space for the list of the last commits, for names and for metadata.
  static constexpr int64_t kLeast = 64 << 10;
  // The reserve of a store, and the part of it that a file adds: the removal of an object changes a page of each file
  // with an index of its class.
  static constexpr int64_t kReserve = 256 << 10;
  static constexpr int64_t kReserveForCompaction = 64 << 10;
  static constexpr int64_t kMostForFile = 128 << 10;
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
