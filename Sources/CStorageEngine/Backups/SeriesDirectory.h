// The directory of a backup series: its files by number, and its locks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../Disk/DirectoryLock.h"
#include "../Disk/Disk.h"

namespace todana {

// An open series, locked against other processes as its use requires. Each task of a series owns one, and
// StorageEngineSeries lists with one; one thread at a time.
class SeriesDirectory {
 public:
  // The use of a series. Backups only add files, so readers and one backup can run at the same time. Pruning excludes
  // both, but not listing.
  enum class Use { list, read, add, prune };

  // Opens a series. `add` creates the directory if it does not exist. Throws Failure: TDN_NOT_FOUND, TDN_NOT_A_STORE if
  // the directory has other content and no backup, TDN_IN_USE.
  SeriesDirectory(const std::string &path, Use use);
  // Opens a series without locks, on a disk that has no other user.
  explicit SeriesDirectory(std::shared_ptr<Disk> disk);

  Disk &disk() { return *disk_; }
  const std::string &path() const { return path_; }

  // Return numbers in ascending order.
  const std::vector<uint32_t> &manifests() const { return manifests_; }
  const std::vector<uint32_t> &segments() const { return segments_; }
  // Returns the number of a backup; the newest one for 0. Throws Failure(TDN_NOT_FOUND).
  uint32_t find(uint64_t number) const;

  static std::string manifestName(uint32_t number);
  static std::string segmentName(uint32_t number);
  static std::string newName(const std::string &name) { return name + ".new"; }
  static std::optional<uint32_t> numberOf(const std::string &name, const char *suffix);

 private:
  void list();

  std::string path_;
  std::shared_ptr<Disk> disk_;
  std::unique_ptr<DirectoryLock> writing_, reading_;
  std::vector<uint32_t> manifests_, segments_;
};

}  // namespace todana
