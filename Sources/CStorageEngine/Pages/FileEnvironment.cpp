#include "FileEnvironment.h"

#include "../Disk/Failure.h"
#include "DataFile.h"

namespace todana {

void FileEnvironment::removeLeftover(const std::string &name) {
  if (!settings.isVolatile) disk.remove(name);
}

void FileEnvironment::removeQuietly(const std::string &name) {
  if (settings.isVolatile) return;
  try {
    disk.remove(name);
  } catch (const Failure &) {
    // The catalog does not name the file, so it does no harm.
  }
}

void FileEnvironment::endBuilding(const std::string &name) {
  removeQuietly(name);
  open.forgetBuilding(name);
}

}  // namespace todana
