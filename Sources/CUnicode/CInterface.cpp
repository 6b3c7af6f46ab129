#include <algorithm>
#include <exception>
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

size_t copy(const Bytes &bytes, uint8_t *output, size_t capacity) {
  if (bytes.size() > 0 && bytes.size() <= capacity) std::memcpy(output, bytes.data(), bytes.size());
  return bytes.size();
}

Folding folding(int32_t value) { return value == TDU_FOLD_CASE ? Folding::caseOnly : Folding::caseAndAccents; }

}  // namespace

uint32_t tdu_unicode_version(void) {
  uint32_t version = 0;
  // The version has the form 15.0.0.
  for (const char *next = kVersion, *last = nullptr; *next && next != last; next++) {
    if (*next != '.') version = version * 10 + static_cast<uint32_t>(*next - '0');
  }
  return version / 10;
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

tdu_text *tdu_text_create(void) { return new (std::nothrow) tdu_text(); }

void tdu_text_free(tdu_text *text) { delete text; }

bool tdu_text_fold(
  tdu_text *text, const uint8_t *source, size_t count, int32_t kind, int32_t spaces, bool mapsSource) {
  // A scalar becomes at most 11 times as long, so the folded positions are within bounds, too.
  if (count > UINT32_MAX / 12) return false;
  try {
    text->bytes.clear();
    text->parts.clear();
    text->words.clear();
    text->hasWords = false;
    text->sourceCount = count;
    std::vector<FoldedPart> *const parts = mapsSource ? &text->parts : nullptr;
    fold(source, count, folding(kind), text->bytes, parts);
    if (spaces != TDU_KEEP_SPACES) squeezeSpaces(text->bytes, spaces == TDU_SQUEEZE_AND_TRIM_SPACES, parts);
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
    if (!text->hasWords) findWords(text->bytes.data(), text->bytes.size(), false, text->words);
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
