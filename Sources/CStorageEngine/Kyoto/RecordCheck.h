// The check of a record by the bytes of the record alone, whatever the page checksums say.
#pragma once

#include <cstdint>
#include <string_view>

namespace todana {

// An answer of true covers all bytes of the value, and the row or key that it belongs to.
//
// EnvelopeCheck implements it, and FileTable passes it to HashFile. HashRecovery and PageAcceptance ask. Any thread.
class RecordCheck {
 public:
  virtual ~RecordCheck() = default;
  // Tests whether records are known by rows, else by keys.
  virtual bool hasRows() const = 0;
  // Tests whether the bytes have the form of a record, so that its check finds damage.
  virtual bool isRecord(std::string_view value) const = 0;
  virtual bool isSound(uint64_t row, std::string_view value) const = 0;
  virtual bool isSound(std::string_view key, std::string_view value) const = 0;
};

}  // namespace todana
