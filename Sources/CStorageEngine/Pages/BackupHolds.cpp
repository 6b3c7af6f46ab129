#include "BackupHolds.h"

#include <algorithm>

namespace todana {

std::shared_ptr<BackupHold> BackupHolds::add() {
  auto hold = std::make_shared<BackupHold>(count_);
  holds_.erase(
    std::remove_if(holds_.begin(), holds_.end(), [](const auto &other) { return other.expired(); }), holds_.end());
  holds_.push_back(hold);
  return hold;
}

void BackupHolds::endAll() {
  for (const std::weak_ptr<BackupHold> &entry : holds_) {
    if (std::shared_ptr<BackupHold> hold = entry.lock()) hold->hasEnded = true;
  }
}

}  // namespace todana
