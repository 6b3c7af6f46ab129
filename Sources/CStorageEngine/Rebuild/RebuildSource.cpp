#include "RebuildSource.h"

#include "KeyRebuildSource.h"
#include "RowRebuildSource.h"

namespace todana {

bool RebuildSource::survey() {
  StepLimit limit;
  for (HashBlock block; offset_ < end_; offset_ += block.size) {
    if (limit.isReached(0)) return true;
    from_->readBlock(offset_, block);
    if (block.isFree) continue;
    from_->verifyKey(block);
    liveBytes_ += recordSize(block.keyLength, block.valueLength);
    note(block);
  }
  return false;
}

size_t RebuildSource::change(RebuildJournal changes) {
  nextChange_ = 0;
  changeCount_ = keep(std::move(changes));
  return changeCount_;
}

bool RebuildSource::takeChanged() {
  StepLimit limit;
  for (; nextChange_ < changeCount_; nextChange_++) {
    if (limit.isReached(bytes_.size())) return true;
    takeChange(nextChange_);
  }
  return false;
}

std::unique_ptr<RebuildSource> RebuildSource::make(
  std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion) {
  if (keyspace.hasRows()) return std::make_unique<RowRebuildSource>(std::move(from), keyspace, conversion);
  return std::make_unique<KeyRebuildSource>(std::move(from), keyspace, conversion);
}

}  // namespace todana
