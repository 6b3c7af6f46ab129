#include "WordList.h"

#include <algorithm>
#include <memory>

#include "WordWalk.h"

namespace todana::text {

namespace {

// A heap has the last word of this order on top.
bool isBetter(const FoundWord &one, const FoundWord &other) {
  if (one.documentCount != other.documentCount) return one.documentCount > other.documentCount;
  return one.bytes < other.bytes;
}

bool isLater(const std::unique_ptr<WordWalk> &one, const std::unique_ptr<WordWalk> &other) {
  return one->word() > other->word();
}

}  // namespace

WordList::WordList(
  const std::vector<Segment *> &segments, const std::vector<uint8_t> &columns, const WordPattern &pattern,
  size_t limit) {
  // The dictionaries side by side, as a heap with the first word on top.
  std::vector<std::unique_ptr<WordWalk>> walks;
  const auto pushNext = [&](std::unique_ptr<WordWalk> walk) {
    while (walk->next()) {
      if (walk->isWhole()) {
        walks.push_back(std::move(walk));
        std::push_heap(walks.begin(), walks.end(), isLater);
        return;
      }
      hasCutWords_ = true;
    }
  };
  for (Segment *const segment : segments) {
    for (const uint8_t column : columns) pushNext(std::make_unique<WordWalk>(*segment, column, pattern));
  }
  while (!walks.empty()) {
    std::string word(walks.front()->word());
    uint64_t documentCount = 0;
    while (!walks.empty() && walks.front()->word() == word) {
      std::pop_heap(walks.begin(), walks.end(), isLater);
      std::unique_ptr<WordWalk> walk = std::move(walks.back());
      walks.pop_back();
      documentCount += walk->cursor().documentCount();
      pushNext(std::move(walk));
    }
    add(std::move(word), documentCount, limit);
  }
  std::sort_heap(words_.begin(), words_.end(), isBetter);
}

void WordList::add(std::string &&bytes, uint64_t documentCount, size_t limit) {
  FoundWord word{std::move(bytes), documentCount};
  if (words_.size() == limit) {
    areAll_ = false;
    if (limit == 0 || !isBetter(word, words_.front())) return;
    std::pop_heap(words_.begin(), words_.end(), isBetter);
    words_.pop_back();
  }
  words_.push_back(std::move(word));
  std::push_heap(words_.begin(), words_.end(), isBetter);
}

}  // namespace todana::text
