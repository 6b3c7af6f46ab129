// The making of a store from the files of a backup, which the caller passes one after the other.
//
// It does not trust the caller's names: each must be the name of a store's file, so none leads out of the directory.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "../Disk/Disk.h"
#include "../Disk/PartialDirectory.h"

namespace todana {

// One store being made, for a `tdn_backup_writer`. One thread at a time; the directory is locked by its
// PartialDirectory.
class BackupWriter {
 public:
  // For `path` see PartialDirectory. Throws Failure.
  explicit BackupWriter(const std::string &path);
  BackupWriter(const BackupWriter &) = delete;
  BackupWriter &operator=(const BackupWriter &) = delete;

  // Tests whether a backup that is a stream has files of this name.
  static bool isFileName(const std::string &name);

  // Ends the file before, and begins another one. Throws Failure: TDN_DAMAGED for a name that no file of a store has,
  // or that was there.
  void begin(const std::string &name);
  // Appends to the file that was begun last.
  void write(const void *bytes, size_t byteCount);
  // Puts the store in its place, durable. Throws Failure: TDN_DAMAGED, TDN_NEWER_FORMAT where it is none.
  void finish();

 private:
  void endFile();

  PartialDirectory target_;
  std::set<std::string> names_;
  std::unique_ptr<DiskFile> file_;
  int64_t offset_ = 0;
};

}  // namespace todana
