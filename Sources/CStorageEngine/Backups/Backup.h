// The copy of a store in use: each file as a loss of power after one commit would have left it.
//
// The copy recovers when it is opened, as after a crash. It is made beside its place and renamed when it is complete
// and durable, so that an earlier one, or none, is there until then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../Disk/Disk.h"
#include "../Disk/PartialDirectory.h"
#include "../Pages/FileGroup.h"
#include "BackupReader.h"

namespace todana {

// One copy being made. Cabinet makes it for a `tdn_backup`. One thread at a time; `next` under Cabinet's door
// (Cabinet::Use), and no lock of the group.
class Backup {
 public:
  // For `path` see PartialDirectory. `source` must stay as long as `next` is called. Throws Failure.
  Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source);
  Backup(const Backup &) = delete;
  Backup &operator=(const Backup &) = delete;

  uint64_t commitNumber() const { return reader_.commitNumber(); }
  int64_t byteCount() const { return reader_.byteCount(); }

  // Copies some megabytes. Returns the bytes copied so far. Throws Failure(TDN_INTERRUPTED) once the group is closed.
  int64_t next();
  // Tests whether the copy is in its place, durable.
  bool isDone() const { return target_.isInPlace(); }

 private:
  void finish();

  BackupReader reader_;
  PartialDirectory target_;
  int64_t copied_ = 0;
  std::unique_ptr<DiskFile> to_;
};

}  // namespace todana
