// The check of a record by its own bytes, independent of page checksums.
#pragma once

#include <cstdint>
#include <string_view>

namespace todana {

// A record's own check. If it succeeds, all bytes of the value are right, and so is its row or key.
//
// EnvelopeCheck implements it, and FileTable passes it to HashFile. HashRecovery and PageAcceptance use it. Any thread.
class RecordCheck {
 public:
  virtual ~RecordCheck() = default;
  // Tests whether the keyspace has rows; otherwise its records have byte keys.
  virtual bool hasRows() const = 0;
  // Tests whether the bytes have the form of a record, so that the record's check detects damage.
  virtual bool isRecord(std::string_view value) const = 0;
  virtual bool isSound(uint64_t row, std::string_view value) const = 0;
  virtual bool isSound(std::string_view key, std::string_view value) const = 0;
};

}  // namespace todana
