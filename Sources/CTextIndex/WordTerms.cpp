#include <algorithm>

#include "FuzzyFilter.h"
#include "SearchNodes.h"

namespace todana::text {

namespace {

Key asKey(const Bytes &bytes) { return Key(reinterpret_cast<const char *>(bytes.data()), bytes.size()); }

bool isPrefix(const Bytes &prefix, Key key) {
  return key.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), key.begin(), [](uint8_t one, char other) {
           return one == static_cast<uint8_t>(other);
         });
}

void addExactly(Segment &segment, const Bytes &key, PostingsUnion &terms, PostingsUnion &uncertain) {
  DictionaryCursor cursor = segment.cursor();
  if (!cursor.seek(asKey(key)) || cursor.key() != asKey(key)) return;
  // Two long words may have one hash.
  (isCut(asKey(key)) ? uncertain : terms).add(segment, cursor);
}

// Adds the words of a property that pass a test; those that are too long for it are uncertain.
template <typename Test>
void addTested(
  Segment &segment, const Bytes &prefix, Test test, PostingsUnion &terms, PostingsUnion &uncertain) {
  DictionaryCursor cursor = segment.cursor();
  for (bool isTerm = cursor.seek(asKey(prefix)); isTerm && isPrefix(prefix, cursor.key()); isTerm = cursor.next()) {
    const Key key = cursor.key();
    if (isCut(key)) {
      uncertain.add(segment, cursor);
    } else if (test(reinterpret_cast<const uint8_t *>(key.data()) + 2, key.size() - 2)) {
      terms.add(segment, cursor);
    }
  }
}

}  // namespace

WordTerms::WordTerms(Segment &segment, const WordPattern &pattern, const Search::Columns &searched, bool keepsLists) {
  columns.resize(searched.numbers.size());
  const Bytes &bytes = pattern.bytes;
  for (size_t index = 0; index < columns.size(); index++) {
    PostingsUnion &terms = columns[index];
    if (keepsLists) terms.keepLists();
    const uint8_t column = searched.numbers[index];
    Bytes key;
    switch (pattern.kind) {
      case WordPattern::Kind::whole:
        appendKey(TermKind::word, column, bytes.data(), bytes.size(), key);
        addExactly(segment, key, terms, uncertain);
        break;
      case WordPattern::Kind::beginning:
        // The dictionary has only the first bytes of a long word.
        appendKey(TermKind::word, column, bytes.data(), std::min(bytes.size(), kLongestWord), key);
        addTested(
          segment, key, [&](const uint8_t *, size_t count) { return count >= bytes.size(); }, terms,
          bytes.size() < kLongestWord ? terms : uncertain);
        break;
      case WordPattern::Kind::end:
        appendKey(TermKind::word, column, nullptr, 0, key);
        addTested(
          segment, key,
          [&](const uint8_t *word, size_t count) {
            return count >= bytes.size() && std::equal(bytes.begin(), bytes.end(), word + (count - bytes.size()));
          },
          terms, uncertain);
        break;
      case WordPattern::Kind::fuzzy:
        appendKey(TermKind::word, column, nullptr, 0, key);
        addTested(
          segment, key,
          [&, filter = FuzzyFilter(bytes.data(), bytes.size(), pattern.edits)](const uint8_t *word, size_t count) {
            return filter.mayMatch(word, count) && pattern.test(word, count);
          },
          terms, uncertain);
        break;
    }
    if (!pattern.stem.empty()) {
      key.clear();
      appendKey(TermKind::stem, column, pattern.stem.data(), pattern.stem.size(), key);
      addExactly(segment, key, terms, uncertain);
    }
    terms.finish();
  }
  uncertain.finish();
}

uint64_t WordTerms::estimate() const {
  uint64_t count = uncertain.documentCount();
  for (const PostingsUnion &terms : columns) count += terms.documentCount();
  return count;
}

uint32_t WordTerms::next(uint32_t document) {
  uint32_t least = uncertain.next(document);
  for (PostingsUnion &terms : columns) least = std::min(least, terms.next(document));
  return least;
}

}  // namespace todana::text
