#include "Grams.h"

namespace todana::text {

void appendScalars(const uint8_t *bytes, size_t count, std::vector<uint32_t> &scalars) {
  for (size_t next = 0; next < count;) {
    const uint8_t first = bytes[next];
    if (first < 0x80) {
      scalars.push_back(first);
      next++;
      continue;
    }
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    uint32_t scalar = first & (0xFFu >> (length + 1));
    bool isValid = first >= 0xC2 && first < 0xF5 && length <= count - next;
    for (size_t index = 1; isValid && index < length; index++) {
      isValid = (bytes[next + index] & 0xC0) == 0x80;
      scalar = scalar << 6 | (bytes[next + index] & 0x3Fu);
    }
    if (isValid && scalar >= kTextMark) isValid = false;
    scalars.push_back(isValid ? scalar : 0xFFFD);
    next += isValid ? length : 1;
  }
}

void appendGramKey(const uint32_t *scalars, size_t count, Bytes &key) {
  key.push_back(static_cast<uint8_t>(TermKind::gram));
  for (size_t index = 0; index < count; index++) {
    const uint32_t scalar = scalars[index];
    const auto low = [&](int shift) { return static_cast<uint8_t>(0x80 | (scalar >> shift & 0x3F)); };
    if (scalar < 0x80) {
      key.push_back(static_cast<uint8_t>(scalar));
    } else if (scalar < 0x800) {
      key.insert(key.end(), {static_cast<uint8_t>(0xC0 | scalar >> 6), low(0)});
    } else if (scalar < 0x10000) {
      key.insert(key.end(), {static_cast<uint8_t>(0xE0 | scalar >> 12), low(6), low(0)});
    } else {
      key.insert(key.end(), {static_cast<uint8_t>(0xF0 | scalar >> 18), low(12), low(6), low(0)});
    }
  }
}

}  // namespace todana::text
