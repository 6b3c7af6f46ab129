// The limit of the memory that a process's mapped files take, if the settings ask for it: when it has grown by 16 MiB,
// pages that the main files have as well are released.
#pragma once

#include <memory>
#include <set>

#include "../Disk/Mutex.h"
#include "MappedMemory.h"

namespace todana {

class DataFile;
class FileSet;

// FileEnvironment owns it. DataFile calls `check` when parts of it were read, and enters itself while it is being
// filled.
//
// Any thread: one check at a time, under its own mutex; a second mutex guards the files being filled.
class MemoryLimit {
 public:
  MemoryLimit(FileSet &files, bool isEnabled)
      : files_(files), memory_(isEnabled ? std::make_unique<MappedMemory>() : nullptr) {}

  // Releases the parts that were read of all files, if memory has grown. Called after parts of `file` were read.
  void check(const DataFile &file);

  // Adds a file that is being filled: until it is sealed, its memory is released as well.
  void addFilling(const DataFile &file);
  void removeFilling(const DataFile &file);
  // Returns the mutex that DataFile holds to move the mapping of a file being filled. Taken last except for the repair
  // lock.
  Mutex &fillingMutex() TDN_RETURNS(fillingMutex_) { return fillingMutex_; }

 private:
  void releaseFilling();

  FileSet &files_;
  const std::unique_ptr<MappedMemory> memory_;  // null: not enabled
  Mutex checkMutex_;    // one check at a time
  Mutex fillingMutex_;
  std::set<const DataFile *> filling_ TDN_GUARDED_BY(fillingMutex_);
};

}  // namespace todana
