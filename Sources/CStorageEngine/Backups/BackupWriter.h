// Makes a store of the files of a backup, which come one after the other from wherever they were kept.
//
// Nothing that comes is trusted: a name is one that a store's file has, so none leads out of the directory.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "../Disk/Disk.h"
#include "../Disk/PartialDirectory.h"

namespace todana {

class BackupWriter {
 public:
  // For `path` see PartialDirectory. Throws Failure.
  explicit BackupWriter(const std::string &path);
  BackupWriter(const BackupWriter &) = delete;
  BackupWriter &operator=(const BackupWriter &) = delete;

  // Whether a backup that is a stream has files of this name.
  static bool isFileName(const std::string &name);

  // The file before it is whole. Throws Failure: TDN_DAMAGED for a name that no file of a store has, or that was there.
  void begin(const std::string &name);
  // Goes on with the file that was begun last.
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
