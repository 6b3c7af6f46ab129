// The writer that restores a store from the files of a streamed backup. The caller passes the files one after another.
//
// The names of the files are not trusted. Each must be a valid name for a file of a store, so that no file is written
// outside of the directory.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "../Disk/Disk.h"
#include "../Disk/PartialDirectory.h"

namespace todana {

// One store being written, for a `tdn_backup_writer`. One thread at a time; its PartialDirectory locks the directory.
class BackupWriter {
 public:
  // `path`: see PartialDirectory. Throws Failure.
  explicit BackupWriter(const std::string &path);
  BackupWriter(const BackupWriter &) = delete;
  BackupWriter &operator=(const BackupWriter &) = delete;

  // Tests whether a streamed backup may have a file with this name.
  static bool isFileName(const std::string &name);

  // Ends the previous file and begins another one. Throws Failure(TDN_DAMAGED) if no file of a store has this name, or
  // if the name came before.
  void begin(const std::string &name);
  // Appends to the current file.
  void write(const void *bytes, size_t byteCount);
  // Renames the store's directory to its final name, and makes it durable. Throws Failure: TDN_DAMAGED if the files are
  // not a store, TDN_NEWER_FORMAT.
  void finish();

 private:
  void endFile();

  PartialDirectory target_;
  std::set<std::string> names_;
  std::unique_ptr<DiskFile> file_;
  int64_t offset_ = 0;
};

}  // namespace todana
