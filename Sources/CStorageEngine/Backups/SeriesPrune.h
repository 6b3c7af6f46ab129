// The removal of a series' oldest backups, and of the blocks that only they needed.
//
// First the blocks that the others need are found; then manifests are removed, durably; then segments without such a
// block, and the other blocks of the rest are given back to the file system where it can take them. Killed in between,
// it leaves blocks that nothing needs, which the next pruning finds.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "Manifest.h"
#include "SegmentReader.h"
#include "SeriesDirectory.h"
#include "SeriesTask.h"

namespace todana {

// One pruning, for a `tdn_series_task`. One thread at a time, with the series locked for pruning.
class SeriesPrune final : public SeriesTask {
 public:
  // Keeps the newest `count`, at least one. Throws Failure. The directory is opened for pruning.
  SeriesPrune(SeriesDirectory directory, uint64_t count);

  // Does one step. Throws Failure(TDN_DAMAGED), with nothing removed, if the blocks that the others need cannot be
  // found.
  void next(const std::function<void(const Damage &damage)> &onDamage) override;

 private:
  bool mark();
  void markGroup(const Manifest::File &file);
  void removeManifests();
  bool sweep();
  bool giveBack(uint32_t segment, const std::vector<bool> &needed);

  SeriesDirectory directory_;
  SegmentReader reader_;
  size_t firstKept_ = 0;
  size_t next_;                       // of the manifests
  std::optional<Manifest> manifest_;
  size_t file_ = 0;
  int64_t offset_ = 0;
  bool isMarked_ = false;
  // By segment: blocks that are needed, and those of them that are tables which were looked at.
  std::unordered_map<uint32_t, std::vector<bool>> needed_, tables_;
  size_t segment_ = 0;
  size_t block_ = 0;
};

}  // namespace todana
