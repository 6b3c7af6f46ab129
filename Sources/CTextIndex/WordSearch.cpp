#include <algorithm>

#include "NearPlaces.h"
#include "SearchNodes.h"

namespace todana::text {

namespace {

// One word: the lists of its terms are exact.
class WordSearch : public SearchNode {
 public:
  WordSearch(Segment &segment, const Query &query, const Search::Columns &columns)
      : term_(query.term), hasStem_(!query.words[0].stem.empty()),
        hasPositions_(segment.info().keepsPositions),
        terms_(segment, query.words[0], columns, hasStem_ && hasPositions_) {}

  uint64_t estimate() const override { return terms_.estimate(); }

  void find(const Window &window, const DocumentSet *, Verdict &verdict) override {
    verdict.maybe.clear();
    for (PostingsUnion &terms : terms_.columns) terms.addTo(verdict.maybe, window.first);
    verdict.sure = verdict.maybe;
    terms_.uncertain.addTo(verdict.maybe, window.first);
  }

  // A word and its stem may have the same places, which only positions tell.
  bool isRankable() const override { return terms_.uncertain.isEmpty() && (!hasStem_ || hasPositions_); }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (size_t column = 0; column < terms_.columns.size(); column++) {
      PostingsUnion &terms = terms_.columns[column];
      const double weight = scores.weight(column);
      if (!hasStem_) {
        terms.forEach(window.first, [&](uint32_t document, uint32_t count) {
          if (set.has(document - window.first)) scores.addFrequency(document, weight * count);
        });
        continue;
      }
      set.forEach([&](uint32_t document) {
        positions_.clear();
        terms.appendPositions(window.first + document, positions_);
        std::sort(positions_.begin(), positions_.end());
        const auto end = std::unique(positions_.begin(), positions_.end());
        const auto count = end - positions_.begin();
        if (count > 0) scores.addFrequency(window.first + document, weight * static_cast<double>(count));
      });
    }
    scores.endTerm(term_);
  }

  PostingsReader *onlyList() override {
    return terms_.columns.size() == 1 && terms_.uncertain.isEmpty() ? terms_.columns[0].onlyList() : nullptr;
  }

 private:
  const size_t term_;
  const bool hasStem_;
  const bool hasPositions_;
  WordTerms terms_;
  std::vector<uint32_t> positions_;
};

// Several words, in a phrase or near each other.
class PhraseSearch : public SearchNode {
 public:
  PhraseSearch(Segment &segment, const Query &query, const Search::Columns &columns)
      : term_(query.term), isNear_(query.kind == Query::Kind::near), distance_(query.distance), phraseSizes_(query.phraseSizes),
        isExact_(segment.info().keepsPositions) {
    if (!isNear_) phraseSizes_ = {query.words.size()};
    // Words that are farther apart may be in two texts of a list.
    for (const size_t size : phraseSizes_) {
      if (isNear_ && size + distance_ >= kTextGap) isExact_ = false;
    }
    for (const WordPattern &pattern : query.words) {
      words_.emplace_back(segment, pattern, columns, isExact_);
      if (!words_.back().uncertain.isEmpty()) isExact_ = false;
    }
  }

  uint64_t estimate() const override {
    uint64_t least = UINT64_MAX;
    for (const WordTerms &word : words_) least = std::min(least, word.estimate());
    return least;
  }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.clear();
    verdict.sure.clear();
    const size_t columnCount = words_[0].columns.size();
    for (size_t column = 0; column < columnCount; column++) {
      findAllWords(column, window);
      if (within != nullptr) candidates_.intersect(*within);
      if (isExact_) keepMatches(column, window);
      verdict.maybe.unite(candidates_);
    }
    if (isExact_) verdict.sure = verdict.maybe;
  }

  bool isRankable() const override { return isExact_ && !isNear_; }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (size_t column = 0; column < words_[0].columns.size(); column++) {
      findAllWords(column, window);
      candidates_.intersect(set);
      candidates_.forEach([&](uint32_t document) {
        const size_t count = places(column, window.first + document, 0, words_.size()).size();
        if (count > 0) scores.addFrequency(window.first + document, scores.weight(column) * static_cast<double>(count));
      });
    }
    scores.endTerm(term_);
  }

 private:
  // Makes the candidates those that have all words in a property.
  void findAllWords(size_t column, const Window &window) {
    bool isFirst = true;
    for (WordTerms &word : words_) {
      DocumentSet &found = isFirst ? candidates_ : more_;
      found.clear();
      word.columns[column].addTo(found, window.first);
      word.uncertain.addTo(found, window.first);
      if (!isFirst) candidates_.intersect(more_);
      isFirst = false;
    }
  }

  void keepMatches(size_t column, const Window &window) {
    more_ = candidates_;
    more_.forEach([&](uint32_t document) {
      if (!isMatch(column, window.first + document)) candidates_.remove(document);
    });
  }

  bool isMatch(size_t column, uint32_t document) {
    std::vector<std::vector<uint32_t>> phrases;
    size_t next = 0;
    for (const size_t size : phraseSizes_) {
      phrases.push_back(places(column, document, next, size));
      if (phrases.back().empty()) return false;
      next += size;
    }
    return !isNear_ || areNear(phrases, phraseSizes_, distance_);
  }

  // Returns the places at which words follow each other, in ascending order.
  std::vector<uint32_t> places(size_t column, uint32_t document, size_t firstWord, size_t count) {
    std::vector<uint32_t> places;
    for (size_t index = 0; index < count; index++) {
      positions_.clear();
      words_[firstWord + index].columns[column].appendPositions(document, positions_);
      std::sort(positions_.begin(), positions_.end());
      positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
      if (index == 0) {
        places = positions_;
        continue;
      }
      places.erase(
        std::remove_if(
          places.begin(), places.end(),
          [&](uint32_t place) {
            return !std::binary_search(positions_.begin(), positions_.end(), place + static_cast<uint32_t>(index));
          }),
        places.end());
    }
    return places;
  }

  const size_t term_;
  const bool isNear_;
  const uint32_t distance_;
  std::vector<size_t> phraseSizes_;
  // Whether positions decide.
  bool isExact_;
  std::vector<WordTerms> words_;
  DocumentSet candidates_, more_;
  std::vector<uint32_t> positions_;
};

}  // namespace

std::unique_ptr<SearchNode> makeWords(Segment &segment, const Query &query, const Search::Columns &columns) {
  if (query.words.size() == 1) return std::make_unique<WordSearch>(segment, query, columns);
  return std::make_unique<PhraseSearch>(segment, query, columns);
}

}  // namespace todana::text
