// The parts of the format of plain records that the engine uses (docs/formats/record-envelope.md).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../CSealing/EnvelopeFormat.h"
#include "../../CSealing/Keys/KeyFile.h"
#include "../Disk/Checksum.h"

namespace todana {

constexpr size_t kCheckSize = 8;
constexpr size_t kPlainTokenSize = 8;
constexpr size_t kLeastPlain = 2 + kCheckSize;

inline uint8_t formatOf(std::string_view record) { return record.empty() ? 0 : static_cast<uint8_t>(record[0]); }

// Tests whether the bytes have the form of a plain record.
inline bool isPlainRecord(std::string_view bytes) {
  const uint8_t format = formatOf(bytes);
  return isPlainFormat(format) && bytes.size() >= kLeastPlain + (keepsToken(format) ? kPlainTokenSize : 0);
}

// The seeds that bind the check of a plain record to its store, its keyspace, and its row or name. EnvelopeCheck and
// RecordConversion use them. A value: any thread.
class PlainRecordSeed {
 public:
  PlainRecordSeed(const StoreID &storeID, uint32_t keyspace) {
    uint8_t identity[20];
    std::copy(storeID.begin(), storeID.end(), identity);
    std::memcpy(identity + 16, &keyspace, 4);
    keyspaceSeed_ = checksum(identity, sizeof identity, 0);
  }
  uint64_t row(uint64_t row) const { return checksum(&row, sizeof row, keyspaceSeed_); }
  uint64_t name(std::string_view name) const { return checksum(name.data(), name.size(), keyspaceSeed_); }

 private:
  uint64_t keyspaceSeed_;
};

// Returns the length of a plain record without its check and token.
inline size_t plainSize(std::string_view record) {
  return record.size() - kCheckSize - (keepsToken(formatOf(record)) ? kPlainTokenSize : 0);
}

// Tests whether the check of a plain record is correct. `seed`: the seed for the record's row or name
// (PlainRecordSeed).
inline bool isSoundPlainRecord(std::string_view record, uint64_t seed) {
  const size_t size = plainSize(record);
  uint64_t check, token;
  std::memcpy(&check, record.data() + size, kCheckSize);
  std::memcpy(&token, record.data() + record.size() - kPlainTokenSize, kPlainTokenSize);
  const uint64_t kept = keepsToken(formatOf(record)) ? token : 0;
  return checksum(record.data(), size, seed ^ kept) == check;
}

}  // namespace todana
