// The words of several segments that a pattern describes, with the numbers of their documents.
#pragma once

#include <string>

#include "Query.h"
#include "Segment.h"

namespace todana::text {

struct FoundWord {
  std::string bytes;
  // The number of documents at most: one with the word in two properties counts twice.
  uint64_t documentCount;
};

class WordList {
 public:
  // Finds the words of most documents, at most `limit`. Throws Damaged, CallerFailed.
  WordList(
    const std::vector<Segment *> &segments, const std::vector<uint8_t> &columns, const WordPattern &pattern,
    size_t limit);

  // The words of most documents come first, those of as many in their order.
  const std::vector<FoundWord> &words() const { return words_; }
  // Whether there are no others, besides cut ones.
  bool areAll() const { return areAll_; }
  // Whether the pattern may describe words that the dictionaries do not have as a whole, which are left out.
  bool hasCutWords() const { return hasCutWords_; }

 private:
  void add(std::string &&bytes, uint64_t documentCount, size_t limit);

  std::vector<FoundWord> words_;
  bool areAll_ = true;
  bool hasCutWords_ = false;
};

}  // namespace todana::text
