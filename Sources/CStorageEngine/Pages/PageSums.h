// The checksums of one main file's pages, in a separate file (docs/formats/redo-log.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"

namespace todana {

// The mapped checksums of a main file as of its opening. Later checksums are not needed, because pages are verified
// before they change.
//
// DataFile and FileGroup (verifying) read an open object. `writeBackToMainFiles` and SalvagedFile use the static
// functions. Any thread, without a lock: the fields of an open object do not change.
class PageSums {
 public:
  // The size of a page's checksum in the file.
  static constexpr int64_t kEntrySize = 8;

  static std::string nameFor(const std::string &dataFileName) { return dataFileName + ".sums"; }

  // Opens the file. Throws Failure(TDN_DAMAGED) if it is missing or its header is damaged. `repairsBits`: one wrong bit
  // in the header is repaired.
  static std::shared_ptr<PageSums> open(
    Disk &disk, const std::string &dataFileName, uint32_t fileNumber, bool repairsBits);
  ~PageSums();
  PageSums(const PageSums &) = delete;
  PageSums &operator=(const PageSums &) = delete;

  // Returns the size of the main file as of the last checkpoint.
  int64_t committedSize() const { return committedSize_; }
  // Tests whether the bytes before the entries are undamaged in the file with this name.
  static bool isHeadSound(Disk &disk, const std::string &name);
  // Tests whether the bytes before the entries were not written in the file with this name.
  static bool hasNoHead(Disk &disk, const std::string &name);
  // Tests whether there are entries for `pageCount` pages.
  bool reaches(int64_t pageCount) const;
  // Finds a page's checksum. Returns false if the file ends before the page's entry.
  bool find(int64_t page, uint64_t *sum) const;
  // Releases the memory of entries that were read.
  void release() const;

  // Reads the current checksums of pages from `firstPage` on. Returns fewer than `count` if the file ends before.
  static std::vector<uint64_t> read(Disk &disk, const std::string &dataFileName, int64_t firstPage, size_t count);

  // -- Writing, for the checkpoint
  struct Entry {
    uint32_t page;
    uint64_t sum;
  };
  // Writes entries (sorted by page) and the header, without a flush. Creates the file if there is none.
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
