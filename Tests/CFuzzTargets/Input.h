// The bytes of one input, taken from the front. Numbers past the end are filled with zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace todana::fuzzing {

class Input {
 public:
  Input(const uint8_t *bytes, size_t byteCount) : bytes_(bytes), end_(bytes + byteCount) {}

  bool isAtEnd() const { return bytes_ == end_; }

  // Takes a little-endian number.
  template <class Number> Number take() {
    Number number = 0;
    const std::string bytes = takeBytes(sizeof number);
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }

  std::string takeBytes(size_t count) {
    count = std::min(count, static_cast<size_t>(end_ - bytes_));
    std::string taken(reinterpret_cast<const char *>(bytes_), count);
    bytes_ += count;
    return taken;
  }

 private:
  const uint8_t *bytes_;
  const uint8_t *end_;
};

}  // namespace todana::fuzzing
