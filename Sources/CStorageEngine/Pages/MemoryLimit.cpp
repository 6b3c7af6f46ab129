#include "MemoryLimit.h"

#include "DataFile.h"
#include "FileSet.h"

namespace todana {

void MemoryLimit::check(const DataFile &file) {
  // Other threads wait here. Otherwise they would continue to read, and the memory of the read pages would become part
  // of the baseline.
  MutexLock oneAtATime(checkMutex_);
  if (!memory_->hasGrown()) return;
  // A thread that builds a file holds no lock of the group, so a commit may be changing the other files: release none
  // of them.
  const bool hasReleased =
    !file.isBuilding() && files_.tryForEach([](const DataFile &other) { other.releaseSeen(); });
  file.releaseSeen();  // it may not be in the set: a snapshot may read a dropped file
  if (!hasReleased) return;
  releaseFilling();
  if (!memory_->isLarge()) return;
  // Other threads have read parts again directly after their release.
  files_.tryForEach([](const DataFile &other) { other.releaseAll(); });
  file.releaseAll();
  releaseFilling();
  memory_->noteReleased();
}

void MemoryLimit::addFilling(const DataFile &file) {
  MutexLock lock(fillingMutex_);
  filling_.insert(&file);
}

void MemoryLimit::removeFilling(const DataFile &file) {
  MutexLock lock(fillingMutex_);
  filling_.erase(&file);
}

void MemoryLimit::releaseFilling() {
  MutexLock lock(fillingMutex_);
  for (const DataFile *file : filling_) file->releaseAll();
}

}  // namespace todana
