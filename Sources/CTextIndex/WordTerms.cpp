#include <algorithm>

#include "SearchNodes.h"
#include "WordWalk.h"

namespace todana::text {

namespace {

void addExactly(Segment &segment, const Bytes &key, PostingsUnion &terms, PostingsUnion &uncertain) {
  DictionaryCursor cursor = segment.cursor();
  if (!cursor.seek(asKey(key)) || cursor.key() != asKey(key)) return;
  // Two long words may have one hash.
  (isCut(asKey(key)) ? uncertain : terms).add(segment, cursor);
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
    if (pattern.kind == WordPattern::Kind::whole) {
      appendKey(TermKind::word, column, bytes.data(), bytes.size(), key);
      addExactly(segment, key, terms, uncertain);
    } else {
      for (WordWalk walk(segment, column, pattern); walk.next();) {
        (walk.isUncertain() ? uncertain : terms).add(segment, walk.cursor());
      }
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
