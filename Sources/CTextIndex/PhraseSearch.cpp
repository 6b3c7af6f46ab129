#include "NearPlaces.h"
#include "SearchNodes.h"

namespace todana::text {

namespace {

// Several words, in a phrase or near each other.
class PhraseSearch : public SearchNode {
 public:
  PhraseSearch(Segment &segment, const Query &query, const Search::Columns &columns)
      : segment_(segment), term_(query.term), isNear_(query.kind == Query::Kind::near), distance_(query.distance),
        phraseSizes_(query.phraseSizes), isExact_(segment.info().keepsPositions) {
    if (!isNear_) phraseSizes_ = {query.words.size()};
    // Words that are farther apart may be in two texts of a list.
    for (const size_t size : phraseSizes_) {
      if (isNear_ && size + distance_ >= kTextGap) isExact_ = false;
    }
    for (const WordPattern &pattern : query.words) {
      words_.emplace_back(segment, pattern, columns, isExact_);
      if (!words_.back().uncertain.isEmpty()) isExact_ = false;
    }
    for (WordTerms &word : words_) rarestFirst_.push_back(&word);
    std::sort(rarestFirst_.begin(), rarestFirst_.end(), [](const WordTerms *one, const WordTerms *other) {
      return one->estimate() < other->estimate();
    });
  }

  uint64_t estimate() const override { return rarestFirst_[0]->estimate(); }

  uint32_t next(uint32_t document) override { return nextOfAll(rarestFirst_, document); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.clear();
    verdict.sure.clear();
    const size_t columnCount = words_[0].columns.size();
    for (size_t column = 0; column < columnCount; column++) {
      DocumentSet candidates = allWords(column, window, within);
      if (isExact_) {
        candidates.forEach([&](uint32_t document) {
          if (!isMatch(column, window.first + document)) candidates.remove(document);
        });
      }
      verdict.maybe.unite(candidates);
    }
    if (isExact_) verdict.sure = verdict.maybe;
  }

  bool isRankable() const override { return isExact_ && !isNear_; }

  double bound(const Window &window, const RankingInput &input) override {
    double sum = 0;
    for (size_t column = 0; column < words_[0].columns.size(); column++) {
      // A document has as many places of each word as of the phrase.
      double least = RankingInput::kHighestSaturation;
      for (WordTerms &word : words_) {
        least = std::min(least, word.columns[column].bound(window, segment_, input, input.weight(column)));
      }
      // The part of several properties is less than the sum of theirs.
      sum += least;
    }
    return input.rarity(term_) * sum;
  }

  double boundOfLength(uint32_t length, const RankingInput &input) const override {
    double sum = 0;
    for (size_t column = 0; column < words_[0].columns.size(); column++) {
      double least = RankingInput::kHighestSaturation;
      for (const WordTerms &word : words_) {
        least =
          std::min(least, word.columns[column].boundOfLength(length, input, input.weight(column)));
      }
      sum += least;
    }
    return input.rarity(term_) * sum;
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (size_t column = 0; column < words_[0].columns.size(); column++) {
      const double weight = scores.input().weight(column);
      set.forEach([&](uint32_t document) {
        const size_t count = places(column, window.first + document, 0, words_.size()).size();
        scores.addFrequency(window.first + document, weight * static_cast<double>(count));
      });
    }
    scores.endTerm(term_);
  }

 private:
  // Returns the documents that have all words in a property.
  DocumentSet allWords(size_t column, const Window &window, const DocumentSet *within) {
    DocumentSet all;
    for (WordTerms *const word : rarestFirst_) {
      DocumentSet found;
      word->columns[column].addTo(found, window, within);
      word->uncertain.addTo(found, window, within);
      all = found;
      within = &all;
    }
    return all;
  }

  bool isMatch(size_t column, uint32_t document) {
    if (!isNear_) return !places(column, document, 0, words_.size()).empty();
    std::vector<std::vector<uint32_t>> phrases;
    size_t next = 0;
    for (const size_t size : phraseSizes_) {
      phrases.push_back(places(column, document, next, size));
      if (phrases.back().empty()) return false;
      next += size;
    }
    return areNear(phrases, phraseSizes_, distance_);
  }

  // Returns the places at which words follow each other, in ascending order. They are valid until the next call.
  const std::vector<uint32_t> &places(size_t column, uint32_t document, size_t firstWord, size_t count) {
    for (size_t index = 0; index < count; index++) {
      const Positions found = words_[firstWord + index].columns[column].positions(document, positions_);
      if (index == 0) {
        places_.assign(found.begin, found.end);
      } else {
        keepStarts(places_, found, static_cast<uint32_t>(index));
      }
      if (places_.empty()) break;
    }
    return places_;
  }

  const Segment &segment_;
  const size_t term_;
  const bool isNear_;
  const uint32_t distance_;
  std::vector<size_t> phraseSizes_;
  // Whether positions decide.
  bool isExact_;
  std::vector<WordTerms> words_;
  std::vector<WordTerms *> rarestFirst_;
  std::vector<uint32_t> positions_, places_;
};

}  // namespace

std::unique_ptr<SearchNode> makePhrase(Segment &segment, const Query &query, const Search::Columns &columns) {
  return std::make_unique<PhraseSearch>(segment, query, columns);
}

}  // namespace todana::text
