// The check of records by their envelopes: the checksum of plain ones, the tag of sealed ones.
#pragma once

#include <memory>
#include <string>

#include "../../CSealing/SealerPool.h"
#include "../Kyoto/RecordCheck.h"
#include "PlainRecord.h"
#include "Keyspace.h"

namespace todana {

// The check for one keyspace. FileTable makes it for each file that it opens; HashRecovery and PageAcceptance call it.
// Any thread, because it is immutable.
class EnvelopeCheck : public RecordCheck {
 public:
  // `sealers`: null if no record is sealed.
  EnvelopeCheck(const StoreID &storeID, std::shared_ptr<SealerPool> sealers, const Keyspace &keyspace)
      : sealers_(std::move(sealers)), keyspace_(keyspace.id), hasRows_(keyspace.hasRows()),
        seed_(storeID, keyspace.id) {}

  bool hasRows() const override { return hasRows_; }
  bool isRecord(std::string_view value) const override {
    return isPlainRecord(value) || Sealer::epoch({value.data(), value.size()}) != 0;
  }
  bool isSound(uint64_t row, std::string_view value) const override;
  bool isSound(std::string_view key, std::string_view value) const override;

 private:
  bool opens(SealedKind kind, ByteView key, std::string_view value) const;

  const std::shared_ptr<SealerPool> sealers_;
  const uint32_t keyspace_;
  const bool hasRows_;
  const PlainRecordSeed seed_;
};

}  // namespace todana
