#include <algorithm>

#include "SearchNodes.h"

namespace todana::text {

namespace {

class AnythingSearch : public SearchNode {
 public:
  explicit AnythingSearch(uint32_t rowCount) : rowCount_(rowCount) {}

  uint64_t estimate() const override { return rowCount_; }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.fill(window.count);
    if (within != nullptr) verdict.maybe.intersect(*within);
    verdict.sure.clear();
  }

 private:
  const uint32_t rowCount_;
};

// Parts whose relevance is added up.
class Combination : public SearchNode {
 public:
  explicit Combination(SearchNodes parts) : parts_(std::move(parts)) {}

  bool isRankable() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto &part) { return part->isRankable(); });
  }

  double bound(const Window &window, const RankingInput &input) override {
    double sum = 0;
    for (const auto &part : parts_) sum += part->bound(window, input);
    return sum;
  }

  double boundOfLength(uint32_t length, const RankingInput &input) const override {
    return boundOfLength(parts_, 0, length, input);
  }

 protected:
  // Returns the highest relevance that the parts from `first` on add to a document with so many words.
  template <typename Parts>
  static double boundOfLength(const Parts &parts, size_t first, uint32_t length, const RankingInput &input) {
    double sum = 0;
    for (size_t index = first; index < parts.size(); index++) sum += parts[index]->boundOfLength(length, input);
    return sum;
  }

  // Removes documents that do not reach the threshold, even if the parts from `first` on add as much as they can.
  template <typename Parts>
  static void removeBelow(const Parts &parts, size_t first, DocumentSet &set, WindowScores &scores) {
    set.forEach([&](uint32_t document) {
      const double left = boundOfLength(parts, first, scores.length(document), scores.input());
      if (RankingInput::upper(scores.score(document) + left) >= scores.threshold()) return;
      scores.take(document);
      set.remove(document);
    });
  }

  SearchNodes parts_;
};

class AllSearch : public Combination {
 public:
  explicit AllSearch(SearchNodes parts) : Combination(std::move(parts)) {
    // The rarest part leaves the fewest documents for the others.
    std::sort(parts_.begin(), parts_.end(), [](const auto &one, const auto &other) {
      return one->estimate() < other->estimate();
    });
  }

  uint64_t estimate() const override { return parts_[0]->estimate(); }

  uint32_t next(uint32_t document) override { return nextOfAll(parts_, document); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    parts_[0]->find(window, within, verdict);
    Verdict part;
    for (size_t index = 1; index < parts_.size() && !verdict.maybe.isEmpty(); index++) {
      parts_[index]->find(window, &verdict.maybe, part);
      verdict.maybe.intersect(part.maybe);
      verdict.sure.intersect(part.sure);
    }
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (const auto &part : parts_) part->score(window, set, scores);
  }

  // Few documents have all parts, so that their scores take less time than a test of their lengths.
  void rank(const Window &window, DocumentSet &set, WindowScores &scores) override {
    Verdict verdict;
    find(window, nullptr, verdict);
    set = verdict.sure;
    if (!set.isEmpty()) score(window, set, scores);
  }
};

class AnySearch : public Combination {
 public:
  AnySearch(SearchNodes parts, uint32_t rowCount) : Combination(std::move(parts)), rowCount_(rowCount) {
    for (const auto &part : parts_) order_.push_back({0, part.get()});
  }

  uint64_t estimate() const override {
    uint64_t sum = 0;
    for (const auto &part : parts_) sum += part->estimate();
    return std::min<uint64_t>(sum, rowCount_);
  }

  uint32_t next(uint32_t document) override {
    uint32_t least = kNoDocument;
    for (const auto &part : parts_) least = std::min(least, part->next(document));
    return least;
  }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.clear();
    verdict.sure.clear();
    Verdict found;
    for (const auto &part : parts_) {
      part->find(window, within, found);
      verdict.maybe.unite(found.maybe);
      verdict.sure.unite(found.sure);
    }
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    Verdict found;
    for (const auto &part : parts_) {
      part->find(window, &set, found);
      found.sure.intersect(set);
      part->score(window, found.sure, scores);
    }
  }

  double bound(const Window &window, const RankingInput &input) override {
    double sum = 0;
    for (Bounded &part : order_) sum += part.bound = part->bound(window, input);
    return sum;
  }

  // `bound` was called for the window.
  void rank(const Window &window, DocumentSet &set, WindowScores &scores) override {
    std::sort(order_.begin(), order_.end(), [](const Bounded &one, const Bounded &other) {
      return one.bound > other.bound;
    });
    // The number of parts that a document needs at least.
    size_t needed = 0;
    double sum = 0;
    while (needed < order_.size() && RankingInput::upper(sum) < scores.threshold()) sum += order_[needed++].bound;
    if (needed <= 1) {
      rankWeakly(window, set, scores);
    } else {
      rankSeveral(window, needed, set, scores);
    }
  }

 private:
  // A part, and the highest relevance that it adds in the last window.
  struct Bounded {
    double bound;
    SearchNode *node;

    SearchNode *operator->() const { return node; }
  };

  // As MaxScore (H. Turtle, J. Flood: "Query evaluation: strategies and optimizations", 1995): a document needs one of
  // those parts without which it cannot reach the threshold. The others add to the score of such documents only.
  void rankWeakly(const Window &window, DocumentSet &set, WindowScores &scores) {
    size_t strong = order_.size();
    for (double weak = 0; strong > 0; strong--) {
      weak += order_[strong - 1].bound;
      if (RankingInput::upper(weak) >= scores.threshold()) break;
    }
    set.clear();
    DocumentSet found;
    for (size_t index = 0; index < strong; index++) {
      order_[index]->collect(window, nullptr, found, scores);
      set.unite(found);
    }
    for (size_t index = strong; index < order_.size(); index++) {
      removeBelow(order_, index, set, scores);
      if (set.isEmpty()) return;
      order_[index]->collect(window, &set, found, scores);
    }
  }

  // Documents with fewer parts than `needed` cannot reach the threshold.
  void rankSeveral(const Window &window, size_t needed, DocumentSet &set, WindowScores &scores) {
    // The documents that have one part more for each set.
    std::vector<DocumentSet> counted(needed);
    found_.resize(order_.size());
    Verdict verdict;
    for (size_t index = 0; index < order_.size(); index++) {
      order_[index]->find(window, nullptr, verdict);
      found_[index] = verdict.sure;
      for (size_t count = needed; count-- > 1;) {
        DocumentSet both = counted[count - 1];
        both.intersect(found_[index]);
        counted[count].unite(both);
      }
      counted[0].unite(found_[index]);
    }
    set = counted[needed - 1];
    scores.removeTooLong(set);
    set.forEach([&](uint32_t document) {
      const uint32_t length = scores.length(document);
      double bound = 0;
      for (size_t index = 0; index < order_.size(); index++) {
        if (found_[index].has(document)) bound += order_[index]->boundOfLength(length, scores.input());
      }
      if (RankingInput::upper(bound) < scores.threshold()) set.remove(document);
    });
    if (set.isEmpty()) return;
    for (size_t index = 0; index < order_.size(); index++) {
      found_[index].intersect(set);
      if (!found_[index].isEmpty()) order_[index]->score(window, found_[index], scores);
    }
  }

  const uint32_t rowCount_;
  // The parts, those with the highest bounds in the last window first.
  std::vector<Bounded> order_;
  // The documents that each of them finds in a window.
  std::vector<DocumentSet> found_;
};

class NegatedSearch : public SearchNode {
 public:
  NegatedSearch(std::unique_ptr<SearchNode> child, uint32_t rowCount)
      : child_(std::move(child)), rowCount_(rowCount) {}

  uint64_t estimate() const override { return rowCount_; }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    Verdict found;
    child_->find(window, within, found);
    verdict.maybe.fill(window.count);
    // Documents that the child has left out are not wanted here either.
    if (within != nullptr) verdict.maybe.intersect(*within);
    verdict.sure = verdict.maybe;
    verdict.maybe.subtract(found.sure);
    verdict.sure.subtract(found.maybe);
  }

  // Terms after a negation add nothing, but must be found without tests.
  bool isRankable() const override { return child_->isRankable(); }

 private:
  const std::unique_ptr<SearchNode> child_;
  const uint32_t rowCount_;
};

}  // namespace

std::unique_ptr<SearchNode> makeAnything(const Segment &segment) {
  return std::make_unique<AnythingSearch>(segment.rowCount());
}

std::unique_ptr<SearchNode> makeAll(SearchNodes parts) { return std::make_unique<AllSearch>(std::move(parts)); }

std::unique_ptr<SearchNode> makeAny(SearchNodes parts, const Segment &segment) {
  return std::make_unique<AnySearch>(std::move(parts), segment.rowCount());
}

std::unique_ptr<SearchNode> makeNegation(std::unique_ptr<SearchNode> child, const Segment &segment) {
  return std::make_unique<NegatedSearch>(std::move(child), segment.rowCount());
}

}  // namespace todana::text
