#include "MemoryLimit.h"

#include "DataFile.h"
#include "FileSet.h"

namespace todana {

void MemoryLimit::check(const DataFile &file) {
  // Other threads wait: they would read more meanwhile than is released, and it would count as memory that has to stay.
  MutexLock oneAtATime(checkMutex_);
  if (!memory_->hasGrown()) return;
  // The thread that builds a file does not keep other threads from changing the others.
  const bool hasReleased =
    !file.isBuilding() && files_.tryForEach([](const DataFile &other) { other.releaseSeen(); });
  file.releaseSeen();  // it need not be in the set: a snapshot may read a file that was dropped
  if (!hasReleased) return;
  releaseFilling();
  if (!memory_->isLarge()) return;
  // Threads have read parts right after those were released.
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
