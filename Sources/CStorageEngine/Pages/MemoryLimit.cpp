#include "MemoryLimit.h"

#include "DataFile.h"
#include "FileSet.h"

namespace todana {

void MemoryLimit::check(const DataFile &file) {
  // Other threads wait. Otherwise they would read more than is released, and it would count as memory that must stay.
  MutexLock oneAtATime(checkMutex_);
  if (!memory_->hasGrown()) return;
  // The thread that builds a file does not keep other threads from changing the other files.
  const bool hasReleased =
    !file.isBuilding() && files_.tryForEach([](const DataFile &other) { other.releaseSeen(); });
  file.releaseSeen();  // it may not be in the set: a snapshot may read a dropped file
  if (!hasReleased) return;
  releaseFilling();
  if (!memory_->isLarge()) return;
  // Other threads have read parts directly after their release.
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
