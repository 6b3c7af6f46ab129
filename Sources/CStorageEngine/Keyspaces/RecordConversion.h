// Gives records the form that they have under other keys, or in a plain store, with their content and their token
// unchanged: whoever has read a record before may go on to change it.
//
// For one thread at a time. Of trees, whose entries have no form of their own, only nodes are sealed (NodeSeal.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../CSealing/SealerPool.h"
#include "Keyspace.h"

namespace todana {

class RecordConversion {
 public:
  // To records of this generation; 0: plain ones.
  RecordConversion(std::shared_ptr<const KeyRing> ring, uint32_t keyGeneration)
      : ring_(std::move(ring)), keyGeneration_(keyGeneration), sealer_(ring_) {}

  uint32_t keyGeneration() const { return keyGeneration_; }

  // Whether a record has the form already; never of bytes that are no record.
  static bool hasForm(std::string_view record, uint32_t keyGeneration);
  // Whether the bytes are in the form of a record, sealed or plain.
  static bool isRecord(std::string_view bytes);

  // All of these throw Failure(TDN_DAMAGED or TDN_UNKNOWN_EPOCH) where the record cannot be opened.
  std::string row(const Keyspace &keyspace, uint64_t row, std::string_view record);
  // Of a record that callers know by a name.
  std::string named(const Keyspace &keyspace, std::string_view name, std::string_view record);
  // The same for one that stands under `key`, which may not tell the name.
  struct Named {
    std::string name;
    std::string key;  // in the new form
    std::string record;
  };
  Named stored(const Keyspace &keyspace, std::string_view key, std::string_view record);
  // The key alone.
  std::string keyOf(const Keyspace &keyspace, std::string_view key, std::string_view record);
  // And of a caller's name.
  std::string keyOf(std::string_view name) const;

 private:
  struct Place {
    const Keyspace &keyspace;
    uint64_t row = 0;
    std::string_view name;
  };
  struct Opened {
    std::string plaintext;  // version byte, content, what it is filled up with
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
