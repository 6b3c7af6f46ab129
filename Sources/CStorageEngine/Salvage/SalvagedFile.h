// The readable content of a data file: its main file with the changes of the logs applied.
//
// Damage throws nothing: bytes that the device cannot read are zeros, and `isSound` tests whether pages match their
// checksums.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../Disk/Disk.h"
#include "../Log/LogIndex.h"
#include "../Pages/PageSums.h"

namespace todana {

// One open file. SalvageSource makes it; RecordSieve and the functions of StorageEngineSalvage read it. One thread,
// without a lock.
class SalvagedFile {
 public:
  // `logged`: the changes of the file in the logs, or null. It must outlive this object.
  SalvagedFile(Disk &disk, uint32_t number, const std::string &name, const LogIndex::File *logged);

  uint32_t number() const { return number_; }
  const std::string &name() const { return name_; }
  int64_t size() const { return size_; }

  // Returns `byteCount` bytes from `offset` on, which must lie within the file; valid until the next call.
  const char *view(int64_t offset, int64_t byteCount);

  // Tests whether every page of the range has the content last written to it. The range may extend beyond the file.
  bool isSound(int64_t offset, int64_t byteCount);

 private:
  void readPages(int64_t firstPage, int64_t pageCount, char *pages);
  void readMain(int64_t offset, char *bytes, int64_t byteCount);
  // Returns the changes of a page in the logs, oldest first.
  std::pair<const LogIndex::Page *, const LogIndex::Page *> changesOf(int64_t page) const;
  bool expectedSum(int64_t page, uint64_t *sum) const;
  bool isSoundPage(int64_t page);

  const uint32_t number_;
  const std::string name_;
  const LogIndex::File *const logged_;
  std::unique_ptr<DiskFile> main_;
  std::vector<uint64_t> sums_;  // as many as can be read
  int64_t size_ = 0;

  // A part of the file that consists of whole pages.
  std::vector<char> window_;
  int64_t windowStart_ = 0;
  int64_t windowEnd_ = 0;

  enum class Verdict : uint8_t { unknown, sound, damaged };
  std::vector<Verdict> verdicts_;
};

}  // namespace todana
