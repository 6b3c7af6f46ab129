// The conversion of records to other keys, or to plain form. Content and token stay the same, so that a caller that
// read a record before can still change it.
//
// In trees, whose entries have no format of their own, only nodes are sealed (NodeSeal.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../CSealing/SealerPool.h"
#include "Keyspace.h"

namespace todana {

// The conversion to one form. KeyMigration and `convertRecords` make one; DigestRekeying and the rebuild sources call
// it.
//
// One thread at a time. It needs no lock, because it changes no record in place.
class RecordConversion {
 public:
  // Makes a conversion to records of this key generation; 0: plain records.
  RecordConversion(std::shared_ptr<const KeyRing> ring, uint32_t keyGeneration)
      : ring_(std::move(ring)), keyGeneration_(keyGeneration), sealer_(ring_) {}

  uint32_t keyGeneration() const { return keyGeneration_; }

  // Tests whether a record already has the form. Returns false for bytes that are not a record.
  static bool hasForm(std::string_view record, uint32_t keyGeneration);
  // Tests whether the bytes have the form of a record, sealed or plain.
  static bool isRecord(std::string_view bytes);

  // Converts a row. Like the functions below, throws Failure(TDN_DAMAGED or TDN_UNKNOWN_EPOCH) if the record cannot be
  // opened.
  std::string row(const Keyspace &keyspace, uint64_t row, std::string_view record);
  // Converts a named record.
  std::string named(const Keyspace &keyspace, std::string_view name, std::string_view record);
  // A converted record that was stored under `key`, which may hide the name.
  struct Named {
    std::string name;
    std::string key;  // in the new form
    std::string record;
  };
  Named stored(const Keyspace &keyspace, std::string_view key, std::string_view record);
  // Converts the key only.
  std::string keyOf(const Keyspace &keyspace, std::string_view key, std::string_view record);
  // Returns the stored key for a name.
  std::string keyOf(std::string_view name) const;

 private:
  struct Place {
    const Keyspace &keyspace;
    uint64_t row = 0;
    std::string_view name;
  };
  struct Opened {
    std::string plaintext;  // version byte, content, padding
    bool isPadded = false;
    uint8_t token[kTokenSize];
  };

  uint64_t seed(const Place &place) const;
  Opened openStored(const Keyspace &keyspace, std::string_view key, std::string_view record, std::string &name);
  Opened open(const Place &place, std::string_view record);
  std::string close(const Place &place, const Opened &opened);
  std::string plain(const Place &place, const Opened &opened) const;
  [[noreturn]] static void refuse(const Place &place, tdn_code code, const char *why);

  const std::shared_ptr<const KeyRing> ring_;
  const uint32_t keyGeneration_;
  Sealer sealer_;
};

}  // namespace todana
