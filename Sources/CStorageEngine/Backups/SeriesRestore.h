// The restore of one backup of a series into a new directory.
#pragma once

#include <memory>
#include <vector>

#include "../Disk/PartialDirectory.h"
#include "Manifest.h"
#include "SegmentReader.h"
#include "SeriesDirectory.h"
#include "SeriesTask.h"

namespace todana {

// One restore, for a `tdn_series_task`. One thread at a time; its SeriesDirectory and PartialDirectory hold the locks.
class SeriesRestore final : public SeriesTask {
 public:
  // Opens the backup with this number; the newest one for 0. `target`: see PartialDirectory. Throws Failure.
  SeriesRestore(const std::string &path, uint64_t number, const std::string &target);

  // Does one step. Throws Failure(TDN_DAMAGED) at the first damaged piece.
  void next(const std::function<void(const Damage &damage)> &onDamage) override;

  const ManifestHeader &header() const { return manifest_.header; }

 private:
  void addGroup(const Manifest::File &file);

  SeriesDirectory directory_;
  SegmentReader reader_;
  const Manifest manifest_;
  PartialDirectory target_;
  size_t file_ = 0;
  int64_t offset_ = 0;
  std::unique_ptr<DiskFile> to_;
  std::vector<char> content_;
};

}  // namespace todana
