// The checksums of one main file's pages: a file beside it (docs/formats/redo-log.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"

namespace todana {

// What the file held when it was opened. Pages that change later were verified before, so it need not follow.
class PageSums {
 public:
  static std::string nameFor(const std::string &dataFileName) { return dataFileName + ".sums"; }

  // Throws Failure(TDN_DAMAGED) where the file is missing or its header is damaged. `repairsBits`: by more than one bit.
  static std::shared_ptr<PageSums> open(
    Disk &disk, const std::string &dataFileName, uint32_t fileNumber, bool repairsBits);
  ~PageSums();
  PageSums(const PageSums &) = delete;
  PageSums &operator=(const PageSums &) = delete;

  // Size of the main file as of the last checkpoint.
  int64_t committedSize() const { return committedSize_; }
  // Whether all before the entries is as it was written, in a file of this name.
  static bool isHeadSound(Disk &disk, const std::string &name);
  // Whether there are entries for so many pages.
  bool reaches(int64_t pageCount) const;
  // False where the file ends before the page's entry.
  bool find(int64_t page, uint64_t *sum) const;
  // Lets go of the memory of entries that were looked at.
  void release() const;

  // The checksums as they stand in the file now, of pages from `firstPage` on; fewer where the file ends before.
  static std::vector<uint64_t> read(Disk &disk, const std::string &dataFileName, int64_t firstPage, size_t count);

  // -- Writing, for the checkpoint
  struct Entry {
    uint32_t page;
    uint64_t sum;
  };
  // Writes entries (sorted by page) and the header; does not flush. Makes the file where there is none.
  static std::unique_ptr<DiskFile> write(
    Disk &disk, const std::string &dataFileName, uint32_t fileNumber, int64_t committedSize,
    const std::vector<Entry> &entries);

 private:
  PageSums() = default;

  int64_t committedSize_ = 0;
  char *mapping_ = nullptr;
  int64_t mappedSize_ = 0;
};

}  // namespace todana
