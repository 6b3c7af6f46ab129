#include <cstdlib>
#include <exception>

#include "Folding.h"
#include "Tables.h"
#include "Utf8.h"
#include "Words.h"
#include "include/CUnicode.h"

using namespace todana::unicode;

namespace {

size_t copy(const Bytes &bytes, uint8_t *output, size_t capacity) {
  if (bytes.size() > 0 && bytes.size() <= capacity) std::memcpy(output, bytes.data(), bytes.size());
  return bytes.size();
}

Folding folding(int32_t value) { return value == TDU_FOLD_CASE ? Folding::caseOnly : Folding::caseAndAccents; }

}  // namespace

uint32_t tdu_unicode_version(void) {
  // The text has the form 15.0.0.
  char *end = nullptr;
  const unsigned long major = std::strtoul(kVersion, &end, 10);
  return static_cast<uint32_t>(10 * major + std::strtoul(end + 1, nullptr, 10));
}

size_t tdu_fold(const uint8_t *source, size_t count, int32_t kind, uint8_t *output, size_t capacity) {
  // Most texts are ASCII, and need no buffer.
  if (count <= capacity && foldASCII(source, count, output) == count) return count;
  try {
    Bytes bytes;
    fold(source, count, folding(kind), bytes);
    return copy(bytes, output, capacity);
  } catch (const std::exception &) {
    return SIZE_MAX;
  }
}

size_t tdu_segment_ends(const uint8_t *source, size_t count, uint32_t *ends) {
  try {
    std::vector<Segment> segments;
    findWords(source, count, true, segments);
    for (size_t index = 0; index < segments.size(); index++) ends[index] = segments[index].end;
    return segments.size();
  } catch (const std::exception &) {
    return SIZE_MAX;
  }
}

size_t tdu_compose(const uint8_t *source, size_t count, uint8_t *output, size_t capacity) {
  try {
    std::vector<uint32_t> scalars;
    for (size_t next = 0; next < count;) {
      const Scalar scalar = decode(source, count, next);
      scalars.push_back(scalar.value);
      next += scalar.length;
    }
    Bytes bytes;
    for (const uint32_t scalar : composed(scalars)) bytes.grow(encode(scalar, bytes.reserve(4)));
    return copy(bytes, output, capacity);
  } catch (const std::exception &) {
    return SIZE_MAX;
  }
}
