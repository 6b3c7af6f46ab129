// The addition of a backup to a series. A new segment gets only those pieces that the newest backup does not have in
// the same place. A manifest lists the places of all pieces.
//
// Existing files are not changed. The backup exists once its manifest has its final name. A segment without a manifest
// is a remnant, which the next backup removes.
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

// One backup being made. Cabinet makes it for a `tdn_series_task`. One thread at a time; `next` under Cabinet's session
// lock, with the series locked for adding.
class SeriesBackup final : public SeriesTask {
 public:
  // `directory`: opened for adding. `source` must outlive all calls of `next`. Throws Failure: TDN_OTHER_STORE if the
  // backups belong to another store, TDN_DAMAGED if there are backups and none can be read.
  SeriesBackup(SeriesDirectory directory, const uint8_t storeID[16], Disk &source);
  // Removes the written files, unless the backup is complete.
  ~SeriesBackup() override;

  // Sets the files to copy, before the first step.
  void begin(FileGroup::BackupPlan plan);
  // Does one step. Throws Failure(TDN_INTERRUPTED) after the group was closed.
  void next(const std::function<void(const Damage &damage)> &onDamage) override;

  // Returns the backup's header, which is complete after the last step.
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
  std::vector<char> out_;           // blocks after `writtenBlocks_`
  uint64_t writtenBlocks_ = 0;
};

}  // namespace todana
