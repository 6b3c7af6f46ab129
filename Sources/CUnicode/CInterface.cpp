#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "Folding.h"
#include "Tables.h"
#include "Utf8.h"
#include "Words.h"
#include "include/CUnicode.h"

using namespace todana::unicode;

struct tdu_text {
  Bytes bytes;
  std::vector<FoldedPart> parts;
  std::vector<Segment> words;
  bool hasWords = false;
  size_t sourceCount = 0;
};

static_assert(sizeof(Segment) == sizeof(tdu_range));

namespace {

// The length up to which the memory of a text is used again.
constexpr size_t kMostKept = 1 << 20;

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
    fold(source, count, folding(kind), bytes, nullptr);
    return copy(bytes, output, capacity);
  } catch (const std::exception &) {
    return SIZE_MAX;
  }
}

size_t tdu_find(const uint8_t *text, size_t count, const uint8_t *part, size_t partCount) {
  // Linear in the GNU C library, in musl and on Apple's systems.
  const void *const found = memmem(text, count, part, partCount);
  return found == nullptr ? SIZE_MAX : static_cast<size_t>(static_cast<const uint8_t *>(found) - text);
}

tdu_text *tdu_text_of_thread(void) {
  thread_local const std::unique_ptr<tdu_text> text(new (std::nothrow) tdu_text());
  return text.get();
}

bool tdu_text_fold(tdu_text *text, const uint8_t *source, size_t count, bool trims, bool mapsSource) {
  if (count > TDU_LONGEST_TEXT) return false;
  try {
    // The memory of a long text is not kept for the next one.
    if (text->sourceCount > kMostKept && count < kMostKept) *text = tdu_text();
    text->bytes.clear();
    text->parts.clear();
    text->words.clear();
    text->hasWords = false;
    text->sourceCount = count;
    std::vector<FoldedPart> *const parts = mapsSource ? &text->parts : nullptr;
    fold(source, count, Folding::caseAndAccents, text->bytes, parts);
    squeezeSpaces(text->bytes, trims, parts);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

const uint8_t *tdu_text_bytes(const tdu_text *text) { return text->bytes.data(); }

size_t tdu_text_count(const tdu_text *text) { return text->bytes.size(); }

const tdu_range *tdu_text_words(tdu_text *text, size_t *count, bool *failed) {
  *failed = false;
  *count = 0;
  try {
    if (!text->hasWords) findSegments(text->bytes.data(), text->bytes.size(), Segmentation::words, text->words);
    text->hasWords = true;
  } catch (const std::exception &) {
    text->words.clear();
    *failed = true;
    return nullptr;
  }
  *count = text->words.size();
  return reinterpret_cast<const tdu_range *>(text->words.data());
}

tdu_range tdu_text_source(const tdu_text *text, tdu_range range) {
  // The last part that begins at or before the start, and the first part that begins at or after the end.
  const auto start = std::upper_bound(
    text->parts.begin(), text->parts.end(), range.start,
    [](uint32_t offset, const FoldedPart &part) { return offset < part.folded; });
  const auto end = std::lower_bound(
    text->parts.begin(), text->parts.end(), range.end,
    [](const FoldedPart &part, uint32_t offset) { return part.folded < offset; });
  return {
    start == text->parts.begin() ? 0 : (start - 1)->source,
    end == text->parts.end() ? static_cast<uint32_t>(text->sourceCount) : end->source};
}

size_t tdu_segment_ends(const uint8_t *source, size_t count, uint32_t *ends) {
  try {
    std::vector<Segment> segments;
    findSegments(source, count, Segmentation::all, segments);
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
