// A copy of a store in use: what a loss of power would have left after one commit, file by file.
//
// While it is made no checkpoint runs, so main files stay as they are up to their ends at the start, and the logs only
// grow behind theirs. The copy recovers when it is opened, as after a crash. It is made beside its place and renamed when
// it is whole and durable, so that an earlier one, or none, is there until then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Disk.h"
#include "FileGroup.h"
#include "PartialDirectory.h"

namespace todana {

class Backup {
 public:
  // For `path` see PartialDirectory. `source` must stay as long as `next` is called. Throws Failure.
  Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source);
  Backup(const Backup &) = delete;
  Backup &operator=(const Backup &) = delete;

  uint64_t commitNumber() const { return plan_.commitNumber; }
  int64_t byteCount() const { return byteCount_; }

  // Copies some megabytes; the bytes copied so far. Throws Failure(TDN_INTERRUPTED) once the group is closed.
  int64_t next();
  // Whether the copy stands in its place, durable.
  bool isDone() const { return target_.isInPlace(); }

 private:
  void finish();

  FileGroup::BackupPlan plan_;
  Disk &source_;
  PartialDirectory target_;
  int64_t byteCount_ = 0;
  int64_t copied_ = 0;
  size_t file_ = 0;
  int64_t offset_ = 0;
  std::unique_ptr<DiskFile> from_, to_;
  std::vector<char> buffer_;
};

}  // namespace todana
