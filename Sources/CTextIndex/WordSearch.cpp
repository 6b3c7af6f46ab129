#include "SearchNodes.h"

namespace todana::text {

namespace {

// One word: the lists of its terms are exact.
class WordSearch : public SearchNode {
 public:
  WordSearch(Segment &segment, const Query &query, const Search::Columns &columns)
      : segment_(segment), term_(query.term), hasStem_(!query.words[0].stem.empty()),
        hasPositions_(segment.info().keepsPositions),
        terms_(segment, query.words[0], columns, hasStem_ && hasPositions_) {}

  uint64_t estimate() const override { return terms_.estimate(); }

  uint32_t next(uint32_t document) override { return terms_.next(document); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    // Adding a document takes less time than a test that fails often.
    if (within != nullptr && !within->hasAtMost(PostingsUnion::kFew)) within = nullptr;
    verdict.maybe.clear();
    for (PostingsUnion &terms : terms_.columns) terms.addTo(verdict.maybe, window, within);
    verdict.sure = verdict.maybe;
    terms_.uncertain.addTo(verdict.maybe, window, within);
  }

  // A word and its stem may have the same places, which only positions tell.
  bool isRankable() const override { return terms_.uncertain.isEmpty() && (!hasStem_ || hasPositions_); }

  double bound(const Window &window, const RankingInput &input) override {
    // The part of several properties is less than the sum of theirs.
    double sum = 0;
    for (size_t column = 0; column < terms_.columns.size(); column++) {
      sum += terms_.columns[column].bound(window, segment_, input, input.weight(column));
    }
    return input.rarity(term_) * sum;
  }

  double boundOfLength(uint32_t length, const RankingInput &input) const override {
    double sum = 0;
    for (size_t column = 0; column < terms_.columns.size(); column++) {
      sum += terms_.columns[column].boundOfLength(length, input, input.weight(column));
    }
    return input.rarity(term_) * sum;
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (size_t column = 0; column < terms_.columns.size(); column++) {
      PostingsUnion &terms = terms_.columns[column];
      const double weight = scores.input().weight(column);
      if (terms_.columns.size() == 1 && terms.hasDocumentsOnce()) {
        terms.forEach<true>(window, &set, [&](uint32_t document, uint32_t count) {
          scores.add(term_, document, weight * count);
        });
        return;
      }
      if (!hasStem_) {
        terms.forEach<true>(window, &set, [&](uint32_t document, uint32_t count) {
          scores.addFrequency(document, weight * count);
        });
        continue;
      }
      set.forEach([&](uint32_t document) {
        const size_t count = terms.positions(window.first + document, positions_).count();
        scores.addFrequency(window.first + document, weight * static_cast<double>(count));
      });
    }
    scores.endTerm(term_);
  }

  void collect(const Window &window, const DocumentSet *within, DocumentSet &set, WindowScores &scores) override {
    if (terms_.columns.size() > 1 || !terms_.columns[0].hasDocumentsOnce()) {
      SearchNode::collect(window, within, set, scores);
      return;
    }
    set.clear();
    const double weight = scores.input().weight(0);
    terms_.columns[0].forEach<true>(window, within, [&](uint32_t document, uint32_t count) {
      if (!scores.mayPass(document - window.first)) return;
      set.add(document - window.first);
      scores.add(term_, document, weight * count);
    });
  }

  PostingsUnion *onlyTerms() override {
    return terms_.columns.size() == 1 && terms_.uncertain.isEmpty() ? &terms_.columns[0] : nullptr;
  }

 private:
  const Segment &segment_;
  const size_t term_;
  const bool hasStem_;
  const bool hasPositions_;
  WordTerms terms_;
  std::vector<uint32_t> positions_;
};

}  // namespace

std::unique_ptr<SearchNode> makeWords(Segment &segment, const Query &query, const Search::Columns &columns) {
  if (query.words.size() == 1) return std::make_unique<WordSearch>(segment, query, columns);
  return makePhrase(segment, query, columns);
}

}  // namespace todana::text
