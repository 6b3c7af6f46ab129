#include "ContentsMac.h"

#include <cstring>

namespace todana {

static_assert(sizeof(WideSum) == ContentsMac::kBlockSize);

ContentsMac::Value ContentsMac::value(const uint8_t *message, size_t byteCount) {
  Value value;
  if (mac_) {
    mac_->mac({message, byteCount}, value.data());
  } else {
    const WideSum sum = hash(message, byteCount);
    std::memcpy(value.data(), &sum, value.size());
  }
  return value;
}

void ContentsMac::replaceEach(uint8_t *blocks, size_t count) {
  if (mac_) return mac_->macEach(blocks, count);
  for (size_t index = 0; index < count; index++, blocks += kBlockSize) {
    const WideSum sum = hash(blocks, kBlockSize);
    std::memcpy(blocks, &sum, kBlockSize);
  }
}

}  // namespace todana
