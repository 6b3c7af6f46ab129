// The direct writes of a large commit, whose new pages go to the main files immediately. The log then has only their
// checksums.
//
// The pages are written after the file's committed size, rounded up to a page. No recoverable state and no frame of a
// live log uses bytes there, so nothing is lost if the commit fails. The commit counts as soon as its last frame is in
// the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "GroupState.h"

namespace todana {

class DataFile;

// The direct writes of the commit being applied. FileGroup owns it, and calls it only from `commit`.
//
// One thread at a time, under the commit mutex. `write`, `flushNames` and `undo` run with readers excluded; `finish`
// takes the state lock itself, after the flush.
class DirectWrites {
 public:
  explicit DirectWrites(GroupState &state) : state_(state) {}

  // Tests whether a commit that changes these files has enough new content to justify the flushes.
  bool isLarge(const std::vector<std::shared_ptr<DataFile>> &changed) const;
  // Tests whether a large commit writes the file's new pages directly. A file below a quarter of the threshold does not
  // justify a flush of its own. A file with a pending cut is not written directly, because recovery may need the bytes
  // after its new end. A file with pages that are in the main file already is always written directly.
  bool isWanted(const DataFile &file) const;

  bool isEmpty() const { return writes_.empty(); }
  // Writes the new pages of a file, and their checksums to the log.
  void write(DataFile &file, LogWriter &log);
  // Makes the names of new main files durable, after the last write.
  void flushNames();
  // Flushes the pages, and ends the commit in the log. Then maps the main files where the new pages were in memory.
  // Readers are excluded during this last step only. Throws Failure(TDN_MUST_REOPEN) if a write fails.
  void finish(LogWriter &log);
  // Cuts the files back to their committed size. Returns false if that fails: the bytes would reappear as content when
  // the file grows.
  bool undo();

 private:
  struct Write {
    DataFile *file;
    std::unique_ptr<DiskFile> main;  // null if many files are written: reopened for the flush
  };

  void flushAll();

  GroupState &state_;
  std::vector<Write> writes_;
  bool hasNewNames_ = false;
};

}  // namespace todana
