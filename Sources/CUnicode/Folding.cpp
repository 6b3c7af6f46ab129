#include "Folding.h"

#include <algorithm>

#include "Tables.h"
#include "Utf8.h"

namespace todana::unicode {

namespace {

// Hangul syllables are composed and decomposed by arithmetic (The Unicode Standard, 3.12).
constexpr uint32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTrails = 0x11A7;
constexpr uint32_t kLeadCount = 19, kVowelCount = 21, kTrailCount = 28;
constexpr uint32_t kSyllableCount = kLeadCount * kVowelCount * kTrailCount;

void decompose(uint32_t scalar, std::vector<uint32_t> &output) {
  if (scalar - kSyllables < kSyllableCount) {
    const uint32_t index = scalar - kSyllables;
    output.push_back(kLeads + index / (kVowelCount * kTrailCount));
    output.push_back(kVowels + index % (kVowelCount * kTrailCount) / kTrailCount);
    if (index % kTrailCount != 0) output.push_back(kTrails + index % kTrailCount);
    return;
  }
  const uint32_t *const end = kDecomposed + kDecompositionCount;
  const uint32_t *const found = std::lower_bound(kDecomposed, end, scalar);
  if (found == end || *found != scalar) return output.push_back(scalar);
  const size_t index = static_cast<size_t>(found - kDecomposed);
  output.insert(
    output.end(), kDecompositions + kDecompositionStarts[index], kDecompositions + kDecompositionStarts[index + 1]);
}

// Returns the composition of two scalars, or 0.
uint32_t composition(uint32_t first, uint32_t second) {
  if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeads) * kVowelCount + second - kVowels) * kTrailCount;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailCount == 0 &&
      second - kTrails - 1 < kTrailCount - 1) {
    return first + second - kTrails;
  }
  const uint64_t pair = static_cast<uint64_t>(first) << 32 | second;
  const uint64_t *const end = kComposedPairs + kCompositionCount;
  const uint64_t *const found = std::lower_bound(kComposedPairs, end, pair);
  return found != end && *found == pair ? kCompositions[found - kComposedPairs] : 0;
}

uint8_t combining(uint32_t scalar) { return property(scalar).combining; }

// Sorts marks by their combining classes; marks of one class keep their order.
void sortMarks(std::vector<uint32_t>::iterator start, std::vector<uint32_t>::iterator end) {
  std::vector<uint64_t> keys;
  for (auto mark = start; mark != end; mark++) {
    keys.push_back(static_cast<uint64_t>(combining(*mark)) << 56 | static_cast<uint64_t>(mark - start) << 21 | *mark);
  }
  std::sort(keys.begin(), keys.end());
  for (const uint64_t key : keys) *start++ = key & 0x1F'FFFF;
}

// Brings marks between starters into the canonical order.
void order(std::vector<uint32_t> &scalars) {
  for (auto start = scalars.begin(); start != scalars.end();) {
    if (combining(*start) == 0) {
      start++;
      continue;
    }
    const auto end = std::find_if(start, scalars.end(), [](uint32_t scalar) { return combining(scalar) == 0; });
    sortMarks(start, end);
    start = end;
  }
}

// Composes scalars that are decomposed and in the canonical order.
void compose(std::vector<uint32_t> &scalars) {
  size_t count = 0, starter = SIZE_MAX;
  for (const uint32_t scalar : scalars) {
    const uint8_t own = combining(scalar);
    if (starter != SIZE_MAX) {
      // A mark is blocked from the starter by one of the same class, and a starter by anything between them.
      const bool isNext = starter + 1 == count;
      if (isNext || combining(scalars[count - 1]) < own) {
        if (const uint32_t whole = composition(scalars[starter], scalar)) {
          scalars[starter] = whole;
          continue;
        }
      }
    }
    if (own == 0) starter = count;
    scalars[count++] = scalar;
  }
  scalars.resize(count);
}

uint8_t lowercase(uint8_t byte) { return byte | static_cast<uint8_t>((byte - 'A' < 26u) << 5); }

class Folder {
 public:
  Folder(const uint8_t *source, size_t count, Folding folding, Bytes &output, std::vector<FoldedPart> *parts)
      : source_(source), count_(count), folding_(folding), output_(output), parts_(parts) {}

  void fold() {
    size_t offset = 0;
    while (offset < count_) {
      if (source_[offset] < 0x80) {
        offset += foldRun(offset);
        continue;
      }
      const Scalar scalar = decode(source_, count_, offset);
      const Property &found = property(scalar.value);
      if (!found.isAttached()) {
        begin(offset);
        append(scalar.value, found);
      } else if (length(found, scalar) > 0) {
        offset = foldTogether(offset);
        continue;
      }
      offset += scalar.length;
    }
  }

 private:
  size_t length(const Property &property, Scalar scalar) const {
    if (folding_ == Folding::caseOnly) {
      return property.caseFolded == Property::kItself ? scalar.length : property.caseFoldedLength;
    }
    return property.folded == Property::kItself ? scalar.length : property.foldedLength;
  }

  // Folds ASCII, of which the last byte may combine with what follows.
  size_t foldRun(size_t offset) {
    uint8_t *const output = output_.reserve(count_ - offset);
    const size_t folded = output_.size();
    const size_t count = foldASCII(source_ + offset, count_ - offset, output);
    output_.grow(count);
    if (parts_) {
      for (size_t index = 0; index < count; index++) note(folded + index, offset + index);
    }
    source0_ = offset + count - 1;
    folded0_ = folded + count - 1;
    return count;
  }

  void note(size_t folded, size_t source) {
    if (parts_) parts_->push_back({static_cast<uint32_t>(folded), static_cast<uint32_t>(source)});
  }

  // Begins a part.
  void begin(size_t offset) {
    source0_ = offset;
    folded0_ = output_.size();
    note(folded0_, offset);
  }

  void append(uint32_t scalar, const Property &property) {
    const bool isCaseOnly = folding_ == Folding::caseOnly;
    const uint16_t place = isCaseOnly ? property.caseFolded : property.folded;
    if (place != Property::kItself) {
      output_.append(kPool + place, isCaseOnly ? property.caseFoldedLength : property.foldedLength);
    } else {
      output_.grow(encode(scalar, output_.reserve(4)));
    }
  }

  // Folds the last part again, together with the scalar at an offset and all that may combine with it. Returns the
  // offset after them.
  size_t foldTogether(size_t offset) {
    const size_t start = offset > 0 ? source0_ : 0;
    if (offset > 0) {
      output_.resize(folded0_);
    } else {
      begin(0);
    }
    size_t end = offset;
    while (end < count_) {
      const Scalar scalar = decode(source_, count_, end);
      if (end > offset && !property(scalar.value).isAttached()) break;
      end += scalar.length;
    }
    scalars_.clear();
    for (size_t next = start; next < end;) {
      const Scalar scalar = decode(source_, count_, next);
      decompose(scalar.value, scalars_);
      next += scalar.length;
    }
    // A subscript iota folds to a letter, so the marks are ordered before folding (The Unicode Standard, D145).
    order(scalars_);
    const size_t folded = output_.size();
    for (const uint32_t scalar : scalars_) append(scalar, property(scalar));
    scalars_.clear();
    for (size_t next = folded; next < output_.size();) {
      const Scalar scalar = decode(output_.data(), output_.size(), next);
      decompose(scalar.value, scalars_);
      next += scalar.length;
    }
    order(scalars_);
    compose(scalars_);
    output_.resize(folded);
    for (const uint32_t scalar : scalars_) output_.grow(encode(scalar, output_.reserve(4)));
    return end;
  }

  const uint8_t *const source_;
  const size_t count_;
  const Folding folding_;
  Bytes &output_;
  std::vector<FoldedPart> *const parts_;
  std::vector<uint32_t> scalars_;
  // The beginning of the last part.
  size_t source0_ = 0;
  size_t folded0_ = 0;
};

}  // namespace

size_t foldASCII(const uint8_t *source, size_t count, uint8_t *output) {
  constexpr size_t kStep = 32;
  size_t done = 0;
  while (count - done >= kStep) {
    uint8_t all = 0;
    for (size_t index = 0; index < kStep; index++) {
      const uint8_t byte = source[done + index];
      all |= byte;
      output[done + index] = lowercase(byte);
    }
    if (all & 0x80) break;
    done += kStep;
  }
  for (; done < count && source[done] < 0x80; done++) output[done] = lowercase(source[done]);
  return done;
}

void fold(const uint8_t *source, size_t count, Folding folding, Bytes &output, std::vector<FoldedPart> *parts) {
  Folder(source, count, folding, output, parts).fold();
}

namespace {

// Tests whether a text has white space other than single spaces between other characters. Bytes of other scalars are
// taken for such a space if in doubt.
bool mayNeedSqueezing(const uint8_t *text, size_t count) {
  if (count == 0) return false;
  uint8_t found = text[0] <= ' ' || text[count - 1] <= ' ';
  for (size_t index = 1; index < count; index++) {
    const uint8_t byte = text[index];
    // The scalars U+0085, U+1680, U+2028 and U+2029 begin with these bytes.
    found |= (byte < ' ') | ((byte == ' ') & (text[index - 1] == ' ')) | (byte == 0xC2) | (byte == 0xE1) | (byte == 0xE2);
  }
  return found || text[0] >= 0xC2;
}

}  // namespace

void squeezeSpaces(Bytes &text, bool trims, std::vector<FoldedPart> *parts) {
  if (!mayNeedSqueezing(text.data(), text.size())) return;
  uint8_t *const bytes = text.mutableData();
  size_t kept = 0, part = 0;
  bool followsSpace = trims;
  for (size_t next = 0; next < text.size();) {
    const Scalar scalar = decode(bytes, text.size(), next);
    if (parts) {
      while (part < parts->size() && (*parts)[part].folded <= next) {
        (*parts)[part++].folded = static_cast<uint32_t>(kept);
      }
    }
    // Most bytes are ASCII without white space.
    const bool isGraphic = bytes[next] > ' ' && bytes[next] < 0x80;
    if (isGraphic || !property(scalar.value).isSpace()) {
      for (uint32_t index = 0; index < scalar.length; index++) bytes[kept++] = bytes[next + index];
      followsSpace = false;
    } else if (!followsSpace) {
      bytes[kept++] = ' ';
      followsSpace = true;
    }
    next += scalar.length;
  }
  if (trims && kept > 0 && bytes[kept - 1] == ' ') kept--;
  text.resize(kept);
}

std::vector<uint32_t> composed(const std::vector<uint32_t> &scalars) {
  std::vector<uint32_t> decomposed;
  for (const uint32_t scalar : scalars) decompose(scalar, decomposed);
  order(decomposed);
  compose(decomposed);
  return decomposed;
}

}  // namespace todana::unicode
