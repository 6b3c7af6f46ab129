#include "PageSums.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/mman.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/BitRepair.h"
#include "DataFile.h"

namespace todana {

namespace {

constexpr char kMagic[] = "TDNSUM01";
constexpr int64_t kEntries = 4096;

struct Header {
  char magic[8];
  uint32_t fileNumber;
  uint32_t reserved;
  uint64_t committedSize;
  uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

bool isSound(const Header &header) {
  return std::memcmp(header.magic, kMagic, 8) == 0 &&
         header.checksum == checksum(&header, offsetof(Header, checksum), 2);
}

}  // namespace

std::shared_ptr<PageSums> PageSums::open(
  Disk &disk, const std::string &dataFileName, uint32_t fileNumber, bool repairsBits) {
  const std::string name = nameFor(dataFileName);
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  if (!file) throw Failure(TDN_DAMAGED, "the file of page checksums is missing", name);
  Header header;
  const bool isWhole = file->read(0, &header, sizeof header) == sizeof header;
  const auto isRepaired = [&] { return repairsBits && repairBit(&header, sizeof header, [&] { return isSound(header); }); };
  if (!isWhole || (!isSound(header) && !isRepaired()) || header.fileNumber != fileNumber ||
      header.committedSize > static_cast<uint64_t>(kLargestFile)) {
    throw Failure(TDN_DAMAGED, "the header of the page checksums is damaged", name);
  }
  std::shared_ptr<PageSums> sums(new PageSums);
  sums->committedSize_ = static_cast<int64_t>(header.committedSize);
  int64_t size = file->size();
  if (size > kEntries) {
    void *mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor(), 0);
    if (mapping == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the page checksums", name);
    sums->mapping_ = static_cast<char *>(mapping);
    sums->mappedSize_ = size;
  }
  return sums;
}

PageSums::~PageSums() {
  if (mapping_) ::munmap(mapping_, mappedSize_);
}

void PageSums::release() const {
  if (mapping_) ::madvise(mapping_, static_cast<size_t>(mappedSize_), MADV_DONTNEED);
}

bool PageSums::isHeadSound(Disk &disk, const std::string &name) {
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  std::vector<char> head(kEntries);
  if (!file || file->read(0, head.data(), head.size()) < sizeof(Header)) return false;
  Header header;
  std::memcpy(&header, head.data(), sizeof header);
  return isSound(header) && isZero(head.data() + sizeof header, head.size() - sizeof header);
}

bool PageSums::hasNoHead(Disk &disk, const std::string &name) {
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  std::vector<char> head(kEntries);
  return file && isZero(head.data(), file->read(0, head.data(), head.size()));
}

bool PageSums::reaches(int64_t pageCount) const { return kEntries + kEntrySize * pageCount <= mappedSize_; }

bool PageSums::find(int64_t page, uint64_t *sum) const {
  int64_t offset = kEntries + kEntrySize * page;
  if (offset + 8 > mappedSize_) return false;
  std::memcpy(sum, mapping_ + offset, 8);
  return true;
}

std::vector<uint64_t> PageSums::read(Disk &disk, const std::string &dataFileName, int64_t firstPage, size_t count) {
  std::vector<uint64_t> sums(count);
  std::unique_ptr<DiskFile> file = disk.open(nameFor(dataFileName), Disk::Mode::read);
  sums.resize(file ? file->read(kEntries + kEntrySize * firstPage, sums.data(), 8 * count) / 8 : 0);
  return sums;
}

std::unique_ptr<DiskFile> PageSums::write(
  Disk &disk, const std::string &dataFileName, uint32_t fileNumber, int64_t committedSize,
  const std::vector<Entry> &entries) {
  std::unique_ptr<DiskFile> file = disk.open(nameFor(dataFileName), Disk::Mode::create);
  std::vector<uint64_t> run;
  for (size_t index = 0; index < entries.size();) {
    const uint32_t first = entries[index].page;
    run.clear();
    while (index < entries.size() && entries[index].page == first + run.size()) run.push_back(entries[index++].sum);
    file->write(kEntries + 8 * static_cast<int64_t>(first), run.data(), 8 * run.size());
  }
  Header header{};
  std::memcpy(header.magic, kMagic, 8);
  header.fileNumber = fileNumber;
  header.committedSize = static_cast<uint64_t>(committedSize);
  header.checksum = checksum(&header, offsetof(Header, checksum), 2);
  // Include the bytes after the header, so that they are correct again, too.
  std::vector<char> head(kEntries);
  std::memcpy(head.data(), &header, sizeof header);
  file->write(0, head.data(), head.size());
  return file;
}

}  // namespace todana
