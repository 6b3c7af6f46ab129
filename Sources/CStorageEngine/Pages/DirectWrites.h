// The new pages of a large commit, which go to the main files at once: the log then has their checksums only.
//
// No state that recovery can return, and no frame of a live log, lies at or after a file's committed size, rounded up
// to a page. So nothing is lost if the commit does not count in the end; it counts when its last frame does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "GroupState.h"

namespace todana {

class DataFile;

// The direct writes of the commit being applied. FileGroup owns it, and calls it from `commit` only.
//
// One thread at a time, under the commit mutex. `write`, `flushNames` and `undo` run with readers excluded; `finish`
// takes the state lock itself, after the flush.
class DirectWrites {
 public:
  explicit DirectWrites(GroupState &state) : state_(state) {}

  // Tests whether a commit that changes these files has enough new content to be worth the flushes.
  bool isLarge(const std::vector<std::shared_ptr<DataFile>> &changed) const;
  // Tests whether the file's new pages are written directly in a large commit. A file with a quarter of the threshold
  // is not worth a flush of its own, and one that was cut may need the bytes behind its end for recovery.
  bool isWanted(const DataFile &file) const;

  bool isEmpty() const { return writes_.empty(); }
  // Writes the new pages of a file, and their checksums to the log.
  void write(DataFile &file, LogWriter &log);
  // Makes the names of new main files durable, after the last write.
  void flushNames();
  // Makes the pages durable and ends the commit in the log; then main files are mapped in place of the memory. Readers
  // are excluded at the end only. Throws Failure(TDN_MUST_REOPEN) if a write fails.
  void finish(LogWriter &log);
  // Cuts the files back to their committed size. Returns false if that fails: the bytes would come back as content when
  // the file grows.
  bool undo();

 private:
  struct Write {
    DataFile *file;
    std::unique_ptr<DiskFile> main;  // null where many files are written: opened again for the flush
  };

  void flushAll();

  GroupState &state_;
  std::vector<Write> writes_;
  bool hasNewNames_ = false;
};

}  // namespace todana
