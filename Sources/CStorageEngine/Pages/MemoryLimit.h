// The limit of the memory that a process's mapped files take, if the settings ask for it. After a growth by 16 MiB,
// pages that the main files have, too, are released.
#pragma once

#include <memory>
#include <set>

#include "../Disk/Mutex.h"
#include "MappedMemory.h"

namespace todana {

class DataFile;
class FileSet;

// The limit for one group. FileEnvironment owns it. DataFile calls `check` after reading parts of it, and adds itself
// while it is being filled.
//
// Any thread: one check at a time, under its own mutex. A second mutex guards the files being filled.
class MemoryLimit {
 public:
  MemoryLimit(FileSet &files, bool isEnabled)
      : files_(files), memory_(isEnabled ? std::make_unique<MappedMemory>() : nullptr) {}

  // Releases the parts of all files that were read, if memory has grown. Called after parts of `file` were read.
  void check(const DataFile &file);

  // Adds a file that is being filled. Its memory is released, too, until it is sealed.
  void addFilling(const DataFile &file);
  void removeFilling(const DataFile &file);
  // Returns the mutex under which DataFile moves the mapping of a file being filled. Only the repair lock is taken
  // after it.
  Mutex &fillingMutex() TDN_RETURNS(fillingMutex_) { return fillingMutex_; }

 private:
  void releaseFilling();

  FileSet &files_;
  const std::unique_ptr<MappedMemory> memory_;  // null if not enabled
  Mutex checkMutex_;    // one check at a time
  Mutex fillingMutex_;
  std::set<const DataFile *> filling_ TDN_GUARDED_BY(fillingMutex_);
};

}  // namespace todana
