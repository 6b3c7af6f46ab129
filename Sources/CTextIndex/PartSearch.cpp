#include <algorithm>

#include "Grams.h"
#include "SearchNodes.h"

namespace todana::text {

namespace {

// A part of the folded text, by its grams.
class PartSearch : public SearchNode {
 public:
  PartSearch(Segment &segment, const std::vector<uint32_t> &scalars, bool isOfAllColumns) {
    isExact_ = segment.info().keepsPositions;
    const size_t count = scalars.size();
    // The end of the scalars that grams before have.
    size_t covered = 0;
    for (size_t index = 0; index < count; index++) {
      const size_t length = index + 1 < count ? gramLength(scalars[index], scalars[index + 1]) : 2;
      if (index + length > count) {
        // The rest begins grams that have more scalars.
        if (covered == count) break;
        addGrams(segment, scalars.data() + index, count - index, index, true);
        break;
      }
      addGrams(segment, scalars.data() + index, length, index, false);
      covered = index + length;
    }
    // The documents of one gram need no positions.
    if (grams_.size() == 1) isExact_ = true;
    if (!isOfAllColumns) isExact_ = false;
    std::sort(grams_.begin(), grams_.end(), [](const Gram &one, const Gram &other) {
      return one.terms.documentCount() < other.terms.documentCount();
    });
    for (Gram &gram : grams_) rarestFirst_.push_back(&gram.terms);
  }

  uint64_t estimate() const override { return grams_[0].terms.documentCount(); }

  uint32_t next(uint32_t document) override { return nextOfAll(rarestFirst_, document); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.sure.clear();
    for (size_t index = 0; index < grams_.size(); index++) {
      DocumentSet found;
      grams_[index].terms.addTo(found, window, within);
      verdict.maybe = found;
      if (found.isEmpty()) return;
      within = &verdict.maybe;
    }
    if (!isExact_) return;
    if (grams_.size() > 1) keepMatches(window, verdict.maybe);
    verdict.sure = verdict.maybe;
  }

 private:
  struct Gram {
    uint32_t offset;
    PostingsUnion terms;
  };

  void addGrams(Segment &segment, const uint32_t *scalars, size_t count, size_t offset, bool areLonger) {
    Bytes key;
    appendGramKey(scalars, count, key);
    Gram gram{static_cast<uint32_t>(offset), {}};
    if (isExact_) gram.terms.keepLists();
    DictionaryCursor cursor = segment.cursor();
    for (bool isTerm = cursor.seek(asKey(key)); isTerm; isTerm = cursor.next()) {
      const bool isWanted = areLonger ? cursor.key().substr(0, key.size()) == asKey(key) : cursor.key() == asKey(key);
      if (!isWanted) break;
      gram.terms.add(segment, cursor);
      if (!areLonger) break;
    }
    gram.terms.finish();
    grams_.push_back(std::move(gram));
  }

  void keepMatches(const Window &window, DocumentSet &set) {
    set.forEach([&](uint32_t document) {
      if (!isMatch(window.first + document)) set.remove(document);
    });
  }

  // Tests whether all grams are at one place of a document.
  bool isMatch(uint32_t document) {
    starts_.clear();
    for (size_t index = 0; index < grams_.size(); index++) {
      const uint32_t offset = grams_[index].offset;
      const Positions found = grams_[index].terms.positions(document, positions_);
      if (index > 0) {
        keepStarts(starts_, found, offset);
      } else {
        for (const uint32_t *next = found.begin; next != found.end; next++) {
          if (*next >= offset) starts_.push_back(*next - offset);
        }
      }
      if (starts_.empty()) return false;
    }
    return true;
  }

  bool isExact_;
  // The rarest gram comes first.
  std::vector<Gram> grams_;
  std::vector<PostingsUnion *> rarestFirst_;
  std::vector<uint32_t> positions_, starts_;
};

}  // namespace

std::unique_ptr<SearchNode> makePart(Segment &segment, const Query &query, const Search::Columns &columns) {
  const bool isSearchable = std::any_of(
    query.scalars.begin(), query.scalars.end(), [](uint32_t scalar) { return scalar != kTextMark; });
  // Every text has an empty part, but not every document has a text.
  if (!segment.info().hasGrams || !isSearchable) return makeAnything(segment);
  return std::make_unique<PartSearch>(segment, query.scalars, columns.areAll);
}

}  // namespace todana::text
