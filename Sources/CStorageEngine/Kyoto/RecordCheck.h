// Tells whether a record is sound by what stands in the record itself, whatever the page checksums say.
#pragma once

#include <cstdint>
#include <string_view>

namespace todana {

// For any thread. An answer of true covers all bytes of the value, and the row or key that it belongs to.
class RecordCheck {
 public:
  virtual ~RecordCheck() = default;
  // Whether records are known by rows, else by keys.
  virtual bool hasRows() const = 0;
  // Whether the bytes have the form of a record, so that its check finds what is wrong with it.
  virtual bool isRecord(std::string_view value) const = 0;
  virtual bool isSound(uint64_t row, std::string_view value) const = 0;
  virtual bool isSound(std::string_view key, std::string_view value) const = 0;
};

}  // namespace todana
