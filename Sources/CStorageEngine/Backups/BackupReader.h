// The reader of a backup's files, one after another, in pieces, for a copy or a stream.
//
// Until `release`, no checkpoint runs, so commits only append to the logs, and write only after the ends that the main
// files had at the start. The files can therefore be read in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../Disk/Disk.h"
#include "../Pages/FileGroup.h"

namespace todana {

// The position in one backup. Backup owns one, and Cabinet makes one for a `tdn_backup_reader`. One thread at a time;
// `next` under Cabinet's session lock (Cabinet::Use).
class BackupReader {
 public:
  using File = FileGroup::BackupPlan::File;

  struct Piece {
    const File *file = nullptr;  // null after the last file
    int64_t offset = 0;
    const char *bytes = nullptr;  // valid until the next call
    size_t byteCount = 0;
    bool isLast = false;  // the last piece of its file; an empty file has one piece of no bytes
  };

  // `source` must outlive all calls of `next`. An empty file need not exist there.
  BackupReader(FileGroup::BackupPlan plan, Disk &source);

  uint64_t commitNumber() const { return plan_.commitNumber; }
  int64_t byteCount() const { return byteCount_; }
  const std::vector<File> &files() const { return plan_.files; }

  // Reads the next piece, of at most `limit` bytes and 4 MiB. Throws Failure(TDN_INTERRUPTED) after the group was
  // closed.
  Piece next(int64_t limit);
  // Allows checkpoints again.
  void release() { plan_.hold.reset(); }

 private:
  FileGroup::BackupPlan plan_;
  Disk &source_;
  int64_t byteCount_ = 0;
  size_t file_ = 0;
  int64_t offset_ = 0;
  std::unique_ptr<DiskFile> from_;
  std::vector<char> buffer_;
};

}  // namespace todana
