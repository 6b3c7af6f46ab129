#include "Refill.h"

#include "KeyRefill.h"
#include "RowRefill.h"

namespace todana {

bool Refill::survey() {
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

std::unique_ptr<Refill> Refill::make(
  std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion) {
  if (keyspace.hasRows()) return std::make_unique<RowRefill>(std::move(from), keyspace, conversion);
  return std::make_unique<KeyRefill>(std::move(from), keyspace, conversion);
}

}  // namespace todana
