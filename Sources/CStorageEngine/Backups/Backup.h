// The copying of a store while it is in use. A power failure directly after a commit would leave the same files as the
// copy has, so opening the copy recovers it as after a crash.
//
// The copy is made under a temporary name, and renamed when it is complete and durable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../Disk/Disk.h"
#include "../Disk/PartialDirectory.h"
#include "../Pages/FileGroup.h"
#include "BackupReader.h"

namespace todana {

// One copy being made. Cabinet makes it for a `tdn_backup`. One thread at a time; `next` under Cabinet's session lock
// (Cabinet::Use), with no lock of the group.
class Backup {
 public:
  // `path`: see PartialDirectory. `source` must outlive all calls of `next`. Throws Failure.
  Backup(const std::string &path, FileGroup::BackupPlan plan, Disk &source);
  Backup(const Backup &) = delete;
  Backup &operator=(const Backup &) = delete;

  uint64_t commitNumber() const { return reader_.commitNumber(); }
  int64_t byteCount() const { return reader_.byteCount(); }

  // Copies some megabytes. Returns the bytes copied so far. Throws Failure(TDN_INTERRUPTED) after the group was closed.
  int64_t next();
  // Tests whether the copy has its final name. The name is then durable, unless `next` has thrown.
  bool isDone() const { return target_.isInPlace(); }

 private:
  void finish();

  BackupReader reader_;
  PartialDirectory target_;
  int64_t copied_ = 0;
  std::unique_ptr<DiskFile> to_;
};

}  // namespace todana
