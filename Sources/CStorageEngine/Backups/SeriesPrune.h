// The removal of a series' oldest backups, or of a single backup, and of the blocks that only they need.
//
// First all blocks that the remaining backups need are marked. Then the manifests of the removed backups are removed
// durably. Then segments without marked blocks are removed. In the other segments, unmarked blocks are freed by
// punching holes, if the file system supports that. If the process is killed in between, the next pruning frees the
// rest.
#pragma once

#include <memory>
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
  // Keeps the newest `count` backups, and at least one. `directory`: opened for pruning. Throws Failure.
  static std::unique_ptr<SeriesPrune> keepingNewest(SeriesDirectory directory, uint64_t count);
  // Removes the backup with this number. Fails with TDN_INVALID if it is the only one.
  static std::unique_ptr<SeriesPrune> removing(SeriesDirectory directory, uint64_t number);

  // Does one step. Throws Failure(TDN_DAMAGED), and removes nothing, if the blocks that the other backups need cannot
  // be determined.
  void next(const std::function<void(const Damage &damage)> &onDamage) override;

 private:
  // Removes the backups from index `firstRemoved` to `endRemoved` of the list of manifests.
  SeriesPrune(SeriesDirectory directory, size_t firstRemoved, size_t endRemoved);

  bool isRemoved(size_t index) const { return index >= firstRemoved_ && index < endRemoved_; }
  bool mark();
  void markGroup(const Manifest::File &file);
  void removeManifests();
  bool sweep();
  bool giveBack(uint32_t segment, const std::vector<bool> &needed);

  SeriesDirectory directory_;
  SegmentReader reader_;
  const size_t firstRemoved_;
  const size_t endRemoved_;
  size_t next_ = 0;                   // index of the next manifest to read
  std::optional<Manifest> manifest_;
  size_t file_ = 0;
  int64_t offset_ = 0;
  bool isMarked_ = false;
  // By segment: the needed blocks, and the blocks of tables that were read already.
  std::unordered_map<uint32_t, std::vector<bool>> needed_, tables_;
  size_t segment_ = 0;
  size_t block_ = 0;
};

}  // namespace todana
