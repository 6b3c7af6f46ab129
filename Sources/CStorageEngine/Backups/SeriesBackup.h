// A backup into a series: pieces that the newest backup there does not have in the same place are written to a new
// segment, and a manifest lists the places of all.
//
// Existing files are not changed. The renaming of the manifest is the moment from which the backup exists; a segment
// without one is a remnant, which the next backup removes.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "../Pages/FileGroup.h"
#include "Manifest.h"
#include "SegmentReader.h"
#include "SeriesDirectory.h"
#include "SeriesTask.h"

namespace todana {

// One backup being made. Cabinet makes it for a `tdn_series_task`. One thread at a time; `next` under Cabinet's door,
// with the series locked for adding.
class SeriesBackup final : public SeriesTask {
 public:
  // `directory` is opened for adding. `source` must stay as long as `next` is called. Throws Failure: TDN_OTHER_STORE
  // where there are backups of another store, TDN_DAMAGED where none of those that are there can be read.
  SeriesBackup(SeriesDirectory directory, const uint8_t storeID[16], Disk &source);
  // Removes what was written, unless the backup is there.
  ~SeriesBackup() override;

  // Sets the files to copy, before the first step.
  void begin(FileGroup::BackupPlan plan);
  // Throws Failure(TDN_INTERRUPTED) once the group is closed.
  void next(const std::function<void(const Damage &damage)> &onDamage) override;

  // Returns its header; valid at the end.
  const ManifestHeader &header() const { return manifest_.header; }
  uint64_t commitNumber() const { return plan_.commitNumber; }

 private:
  void findBase(const uint8_t storeID[16]);
  void removeRemnants();
  void openFile();
  void addGroup(const FileGroup::BackupPlan::File &file);
  uint32_t append(const void *block);
  void writeOut();
  void finish();

  SeriesDirectory directory_;
  Disk &source_;
  FileGroup::BackupPlan plan_;
  std::optional<Manifest> base_;
  std::unordered_map<std::string, const Manifest::File *> baseFiles_;
  SegmentReader reader_;
  uint32_t number_ = 1;
  Manifest manifest_;

  size_t file_ = 0;
  int64_t offset_ = 0;
  std::unique_ptr<DiskFile> from_, segment_;
  const Manifest::File *baseFile_ = nullptr;
  std::vector<char> content_;
  std::vector<char> out_;           // blocks behind `writtenBlocks_`
  uint64_t writtenBlocks_ = 0;
};

}  // namespace todana
