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

bool areRankable(const SearchNodes &nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const auto &node) { return node->isRankable(); });
}

double sumOfBounds(const SearchNodes &nodes, const Window &window, const RankingInput &input) {
  double sum = 0;
  for (const auto &node : nodes) sum += node->bound(window, input);
  return sum;
}

double sumOfBounds(const SearchNodes &nodes, uint32_t length, const RankingInput &input) {
  double sum = 0;
  for (const auto &node : nodes) sum += node->boundOfLength(length, input);
  return sum;
}

// Removes documents that do not reach the threshold. `left` returns the highest relevance that is not added yet, for
// documents with so many words.
template <typename Left>
void removeBelow(DocumentSet &set, WindowScores &scores, Left left) {
  set.forEach([&](uint32_t document) {
    const double bound = scores.score(document) + left(scores.length(document));
    if (RankingInput::upper(bound) >= scores.threshold()) return;
    scores.take(document);
    set.remove(document);
  });
}

class AllSearch : public SearchNode {
 public:
  explicit AllSearch(SearchNodes children) : children_(std::move(children)) {
    // The rarest part leaves the fewest documents for the others.
    std::sort(children_.begin(), children_.end(), [](const auto &one, const auto &other) {
      return one->estimate() < other->estimate();
    });
  }

  uint64_t estimate() const override { return children_[0]->estimate(); }

  uint32_t next(uint32_t document) override { return nextOfAll(children_, document); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    children_[0]->find(window, within, verdict);
    Verdict part;
    for (size_t index = 1; index < children_.size() && !verdict.maybe.isEmpty(); index++) {
      children_[index]->find(window, &verdict.maybe, part);
      verdict.maybe.intersect(part.maybe);
      verdict.sure.intersect(part.sure);
    }
  }

  bool isRankable() const override { return areRankable(children_); }

  double bound(const Window &window, const RankingInput &input) override {
    return sumOfBounds(children_, window, input);
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (const auto &child : children_) child->score(window, set, scores);
  }

  double boundOfLength(uint32_t length, const RankingInput &input) const override {
    return sumOfBounds(children_, length, input);
  }

  void rank(const Window &window, DocumentSet &set, WindowScores &scores) override {
    children_[0]->collect(window, nullptr, set, scores);
    for (size_t index = 1; index < children_.size(); index++) {
      removeBelow(set, scores, [&](uint32_t length) {
        double left = 0;
        for (size_t next = index; next < children_.size(); next++) {
          left += children_[next]->boundOfLength(length, scores.input());
        }
        return left;
      });
      if (set.isEmpty()) return;
      DocumentSet found;
      children_[index]->collect(window, &set, found, scores);
      set.subtract(found);
      set.forEach([&](uint32_t document) { scores.take(document); });
      set = found;
    }
  }

 private:
  SearchNodes children_;
};

class AnySearch : public SearchNode {
 public:
  AnySearch(SearchNodes children, uint32_t rowCount) : children_(std::move(children)), rowCount_(rowCount) {}

  uint64_t estimate() const override {
    uint64_t sum = 0;
    for (const auto &child : children_) sum += child->estimate();
    return std::min<uint64_t>(sum, rowCount_);
  }

  uint32_t next(uint32_t document) override {
    uint32_t least = kNoDocument;
    for (const auto &child : children_) least = std::min(least, child->next(document));
    return least;
  }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.clear();
    verdict.sure.clear();
    Verdict part;
    for (const auto &child : children_) {
      child->find(window, within, part);
      verdict.maybe.unite(part.maybe);
      verdict.sure.unite(part.sure);
    }
  }

  bool isRankable() const override { return areRankable(children_); }

  double bound(const Window &window, const RankingInput &input) override {
    return sumOfBounds(children_, window, input);
  }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    Verdict part;
    for (const auto &child : children_) {
      child->find(window, &set, part);
      part.sure.intersect(set);
      child->score(window, part.sure, scores);
    }
  }

  double boundOfLength(uint32_t length, const RankingInput &input) const override {
    return sumOfBounds(children_, length, input);
  }

  void rank(const Window &window, DocumentSet &set, WindowScores &scores) override {
    order_.clear();
    for (const auto &child : children_) order_.push_back({child->bound(window, scores.input()), child.get(), {}});
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
  // A part, the highest relevance that it adds, and the documents that it finds in the window.
  struct Bounded {
    double bound;
    SearchNode *node;
    DocumentSet found;
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
    for (size_t index = 0; index < strong; index++) {
      order_[index].node->collect(window, nullptr, order_[index].found, scores);
      set.unite(order_[index].found);
    }
    for (size_t index = strong; index < order_.size(); index++) {
      removeBelow(set, scores, [&](uint32_t length) {
        double left = 0;
        for (size_t weak = index; weak < order_.size(); weak++) {
          left += order_[weak].node->boundOfLength(length, scores.input());
        }
        return left;
      });
      if (set.isEmpty()) return;
      order_[index].node->collect(window, &set, order_[index].found, scores);
    }
  }

  // Documents with fewer parts than `needed` cannot reach the threshold.
  void rankSeveral(const Window &window, size_t needed, DocumentSet &set, WindowScores &scores) {
    // The documents that have one part more for each set.
    std::vector<DocumentSet> counted(needed);
    Verdict verdict;
    for (Bounded &part : order_) {
      part.node->find(window, nullptr, verdict);
      part.found = verdict.sure;
      for (size_t count = needed; count-- > 1;) {
        DocumentSet both = counted[count - 1];
        both.intersect(part.found);
        counted[count].unite(both);
      }
      counted[0].unite(part.found);
    }
    set = counted[needed - 1];
    scores.removeTooLong(set);
    set.forEach([&](uint32_t document) {
      const uint32_t length = scores.length(document);
      double bound = 0;
      for (const Bounded &part : order_) {
        if (part.found.has(document)) bound += part.node->boundOfLength(length, scores.input());
      }
      if (RankingInput::upper(bound) < scores.threshold()) set.remove(document);
    });
    if (set.isEmpty()) return;
    for (Bounded &part : order_) {
      part.found.intersect(set);
      if (!part.found.isEmpty()) part.node->score(window, part.found, scores);
    }
  }

  SearchNodes children_;
  const uint32_t rowCount_;
  std::vector<Bounded> order_;
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

std::unique_ptr<SearchNode> makeAll(SearchNodes children) { return std::make_unique<AllSearch>(std::move(children)); }

std::unique_ptr<SearchNode> makeAny(SearchNodes children, const Segment &segment) {
  return std::make_unique<AnySearch>(std::move(children), segment.rowCount());
}

std::unique_ptr<SearchNode> makeNegation(std::unique_ptr<SearchNode> child, const Segment &segment) {
  return std::make_unique<NegatedSearch>(std::move(child), segment.rowCount());
}

}  // namespace todana::text
