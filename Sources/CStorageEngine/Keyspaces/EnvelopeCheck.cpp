#include "EnvelopeCheck.h"

#include <vector>

#include "../Kyoto/HashFormat.h"

namespace todana {

bool EnvelopeCheck::isSound(uint64_t row, std::string_view value) const {
  if (!hasRows_) return false;
  if (isPlainRecord(value)) return isSoundPlainRecord(value, seed_.row(row));
  char key[8];
  writeBigEndian64(key, row);
  return opens(SealedKind::record, {key, sizeof key}, value);
}

bool EnvelopeCheck::isSound(std::string_view key, std::string_view value) const {
  if (hasRows_) return false;
  if (isPlainRecord(value)) return isSoundPlainRecord(value, seed_.name(key));
  // The name is in the envelope. The caller that opens the record compares it.
  return opens(SealedKind::namedBuffer, ByteView(nullptr, 0), value);
}

bool EnvelopeCheck::opens(SealedKind kind, ByteView key, std::string_view value) const {
  if (!sealers_ || Sealer::epoch({value.data(), value.size()}) == 0) return false;
  std::vector<uint8_t> plaintext(value.size());
  return sealers_->lend()->open({kind, keyspace_, key}, {value.data(), value.size()}, plaintext.data()).outcome ==
         Sealer::Outcome::opened;
}

}  // namespace todana
