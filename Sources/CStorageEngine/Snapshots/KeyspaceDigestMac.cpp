#include "KeyspaceDigestMac.h"

#include <cstring>

namespace todana {

static_assert(sizeof(WideSum) == KeyspaceDigestMac::kBlockSize);

KeyspaceDigestMac::Value KeyspaceDigestMac::value(const uint8_t *message, size_t byteCount) {
  Value value;
  if (mac_) {
    mac_->mac({message, byteCount}, value.data());
  } else {
    const WideSum sum = hash(message, byteCount);
    std::memcpy(value.data(), &sum, value.size());
  }
  return value;
}

void KeyspaceDigestMac::replaceEach(uint8_t *blocks, size_t count) {
  if (mac_) return mac_->macEach(blocks, count);
  for (size_t index = 0; index < count; index++, blocks += kBlockSize) {
    const WideSum sum = hash(blocks, kBlockSize);
    std::memcpy(blocks, &sum, kBlockSize);
  }
}

}  // namespace todana
