#include "Refill.h"

#include "KeyRefill.h"
#include "RowRefill.h"

namespace todana {

// What a record takes: header, lengths, key and value, and what aligns it.
uint64_t Refill::recordSize(const HashFile &file, uint64_t keyLength, uint64_t valueLength) {
  const uint64_t alignment = 1ULL << file.alignmentPower();
  const uint64_t lengths = 2 + (valueLength >> 7 != 0) + (valueLength >> 14 != 0) + (valueLength >> 21 != 0);
  return (kRecordHeaderSize + lengths + keyLength + valueLength + alignment - 1) & ~(alignment - 1);
}

bool Refill::survey() {
  StepLimit limit;
  for (HashBlock block; offset_ < end_; offset_ += block.size) {
    if (limit.isReached(0)) return true;
    from_->readBlock(offset_, block);
    if (block.isFree) continue;
    from_->verifyKey(block);
    note(block);
  }
  return false;
}

std::unique_ptr<Refill> Refill::make(
  std::shared_ptr<const HashFile> from, const Structure &structure, RecordConversion *conversion) {
  if (structure.hasRows()) return std::make_unique<RowRefill>(std::move(from), structure, conversion);
  return std::make_unique<KeyRefill>(std::move(from), structure, conversion);
}

}  // namespace todana
