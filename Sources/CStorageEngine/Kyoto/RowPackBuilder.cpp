#include "RowPackBuilder.h"

namespace todana {

std::string_view RowPackBuilder::finish() {
  const size_t slotCount = static_cast<size_t>(slot_);
  const size_t headLength = RowPack::kHeaderSize + RowPack::kSlotSize * slotCount;
  std::memset(head_ + RowPack::kHeaderSize + 2 * slotCount, 0, slotCount);
  head_[0] = RowPack::kVersion;
  std::memcpy(head_ + RowPack::kSlotsOffset, &rows_, 4);
  std::memcpy(head_ + RowPack::kRowsOffset, &rows_, 4);
  // The body starts after room for the longest header, so that the header fits directly before it.
  char *start = body() - headLength;
  std::memmove(start, head_, headLength);
  return {start, headLength + length_};
}

}  // namespace todana
