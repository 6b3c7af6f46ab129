// The verification of backups of a series. Every piece that they need is read and compared with its checksum.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "Manifest.h"
#include "SegmentReader.h"
#include "SeriesDirectory.h"
#include "SeriesTask.h"

namespace todana {

// One verification, for a `tdn_series_task`. One thread at a time, with the series locked for reading.
class SeriesVerify final : public SeriesTask {
 public:
  // Opens the backup with this number, or all backups for 0. Pieces that backups share are read once.
  SeriesVerify(const std::string &path, uint64_t number);

  void next(const std::function<void(const Damage &damage)> &onDamage) override;

  uint32_t backupCount() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  bool openNext(const std::function<void(const Damage &damage)> &onDamage);
  void checkGroup(const std::function<void(const Damage &damage)> &onDamage);
  bool isKnown(const BlockEntry &entry) const;

  SeriesDirectory directory_;
  SegmentReader reader_;
  std::vector<uint32_t> numbers_;
  size_t next_ = 0;
  std::optional<Manifest> manifest_;
  size_t file_ = 0;
  int64_t offset_ = 0;
  std::vector<char> content_;
  // By segment: the blocks of those tables whose pieces were all intact.
  std::unordered_map<uint32_t, std::vector<bool>> sound_;
};

}  // namespace todana
