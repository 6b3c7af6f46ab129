// A power failure while a checkpoint writes checksums of pages that a later commit cuts off.
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "../../Sources/CStorageEngine/Disk/Failure.h"
#include "../../Sources/CStorageEngine/Pages/FileGroup.h"
#include "Files.h"
#include "include/CPowerFailure.h"

namespace todana::simulation {

namespace {

constexpr uint32_t kNumber = 1;
constexpr char kName[] = "0001-file";
constexpr char kSums[] = "0001-file.sums";

// A disk that has no room for the file of checksums while `isFull` is set. A checkpoint then fails, but commits
// succeed.
class FullDisk final : public Disk {
 public:
  explicit FullDisk(const std::string &path) : disk_(path) {}

  bool isFull = false;

  std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) override {
    if (isFull && name == kSums && mode != Mode::read) throw Failure(TDN_NO_SPACE, "no space", name);
    return disk_.open(name, mode);
  }
  void rename(const std::string &from, const std::string &to) override { disk_.rename(from, to); }
  void remove(const std::string &name) override { disk_.remove(name); }
  std::vector<std::string> list() override { return disk_.list(); }
  void flushDirectory() override { disk_.flushDirectory(); }
  void flushAll() override { disk_.flushAll(); }
  int64_t sectorSize() override { return disk_.sectorSize(); }
  int64_t room() override { return disk_.room(); }

 private:
  DirectoryDisk disk_;
};

class Group {
 public:
  Group(Disk &disk, int32_t sectorSize) {
    FileGroup::Settings settings;
    settings.sectorSize = sectorSize;
    settings.strict = true;
    FileGroup::Report report;
    group_ = FileGroup::open(disk, settings, report);
  }

  FileGroup &operator*() { return *group_; }
  FileGroup *operator->() { return group_.get(); }

  void commit(const std::function<void()> &apply) {
    const uint8_t id[16] = {++count_};
    group_->commit(id, FileGroup::Durability::full, apply, [] {});
  }

 private:
  std::unique_ptr<FileGroup> group_;
  uint8_t count_ = 0;
};

// Simulates a power failure while a checkpoint writes the checksum of the last page. The next log already holds a
// commit that cuts the file at `cutPage`. The sector of checksums that was being written holds garbage.
void run(const std::filesystem::path &directory, int32_t sectorSize, int64_t pageCount, int64_t cutPage) {
  lay(directory, {});
  {
    FullDisk disk(directory);
    Group group(disk, sectorSize);
    std::shared_ptr<DataFile> file;
    const std::string content(static_cast<size_t>(pageCount * kPageSize), 'a');
    group.commit([&] {
      file = group->createFile(kNumber, kName);
      file->write(0, content.data(), content.size());
    });
    group->checkpoint();
    group.commit([&] { file->write((pageCount - 1) * kPageSize, "b", 1); });
    disk.isFull = true;
    try {
      group->checkpoint();
      require(false, "the checkpoint did not fail");
    } catch (const Failure &) {
    }
    group.commit([&] { file->cut(cutPage * kPageSize); });
  }
  std::string sums = readFile(directory / kSums);
  const size_t changed = kPageSize + 8 * static_cast<size_t>(pageCount - 1), sector = static_cast<size_t>(sectorSize);
  for (size_t byte = changed / sector * sector; byte < std::min(sums.size(), (changed / sector + 1) * sector); byte++) {
    sums[byte] = static_cast<char>(byte * 7 + 1);
  }
  FileSystem files = readAll(directory);
  files[kSums] = sums;
  lay(directory, files);

  FullDisk disk(directory);
  Group group(disk, sectorSize);
  const std::shared_ptr<DataFile> file = group->openFile(kNumber, kName);
  require(file->size() == cutPage * kPageSize, "the file has another size than the cut gave it");
  if (file->size() > 0) file->verify(0, file->size());
}

}  // namespace

}  // namespace todana::simulation

bool power_failure_cut_during_checkpoint(
  const char *directory, int32_t sector_size, int64_t page_count, int64_t cut_page, power_failure_result *result) {
  *result = {};
  try {
    todana::simulation::run(directory, sector_size, page_count, cut_page);
    return true;
  } catch (const std::exception &error) {
    std::snprintf(result->first_failure, sizeof result->first_failure, "%s", error.what());
    return false;
  }
}
