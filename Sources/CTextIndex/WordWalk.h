// A walk through those words of a property that a pattern describes, in their order.
#pragma once

#include "FuzzyMatcher.h"
#include "Query.h"
#include "Segment.h"

namespace todana::text {

class WordWalk {
 public:
  // The kind of the pattern must not be `whole`. The pattern must live as long.
  WordWalk(Segment &segment, uint8_t column, const WordPattern &pattern);

  // Moves to the next word. Returns false at the end.
  bool next();

  const DictionaryCursor &cursor() const { return cursor_; }
  // The word, or its first bytes and its hash if the dictionary has no more of it.
  Key word() const { return cursor_.key().substr(kHead); }
  bool isWhole() const { return !isCut(cursor_.key()); }
  // Whether only a text tells whether it is a word of the pattern.
  bool isUncertain() const { return !isWhole() && !describesCutWords_; }

 private:
  // Moves to the first word, or to the next one.
  bool move();
  // Tests a word that the dictionary has as a whole.
  bool matches();
  // Skips words with a beginning that excludes them, if there are many.
  void skipExcluded();

  // The kind and the property before a word.
  static constexpr size_t kHead = 2;
  // The number of words that are tested in the time of a search in the dictionary.
  static constexpr size_t kManyFailures = 24;

  const WordPattern &pattern_;
  FuzzyMatcher matcher_;
  const bool describesCutWords_;
  Bytes prefix_;
  DictionaryCursor cursor_;
  // The key to which the walk moves next; empty for the one after the current one.
  Bytes target_;
  // The number of words in succession that do not match.
  size_t failureCount_ = 0;
};

}  // namespace todana::text
