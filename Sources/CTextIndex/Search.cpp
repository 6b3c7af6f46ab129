#include "Search.h"

#include <algorithm>

#include "SearchNodes.h"

namespace todana::text {

namespace {

class AnythingSearch : public SearchNode {
 public:
  explicit AnythingSearch(uint32_t rowCount) : rowCount_(rowCount) {}

  uint64_t estimate() const override { return rowCount_; }

  void find(const Window &window, const DocumentSet *, Verdict &verdict) override {
    verdict.maybe.fill(window.count);
    verdict.sure.clear();
  }

 private:
  const uint32_t rowCount_;
};

bool areRankable(const std::vector<std::unique_ptr<SearchNode>> &nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const auto &node) { return node->isRankable(); });
}

class AllSearch : public SearchNode {
 public:
  explicit AllSearch(std::vector<std::unique_ptr<SearchNode>> children) : children_(std::move(children)) {
    // The rarest part leaves the fewest documents for the others.
    std::sort(children_.begin(), children_.end(), [](const auto &one, const auto &other) {
      return one->estimate() < other->estimate();
    });
  }

  uint64_t estimate() const override { return children_[0]->estimate(); }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    children_[0]->find(window, within, verdict);
    const auto part = std::make_unique<Verdict>();
    for (size_t index = 1; index < children_.size() && !verdict.maybe.isEmpty(); index++) {
      children_[index]->find(window, &verdict.maybe, *part);
      verdict.maybe.intersect(part->maybe);
      verdict.sure.intersect(part->sure);
    }
  }

  bool isRankable() const override { return areRankable(children_); }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    for (const auto &child : children_) child->score(window, set, scores);
  }

 private:
  std::vector<std::unique_ptr<SearchNode>> children_;
};

class AnySearch : public SearchNode {
 public:
  AnySearch(std::vector<std::unique_ptr<SearchNode>> children, uint32_t rowCount)
      : children_(std::move(children)), rowCount_(rowCount) {}

  uint64_t estimate() const override {
    uint64_t sum = 0;
    for (const auto &child : children_) sum += child->estimate();
    return std::min<uint64_t>(sum, rowCount_);
  }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    verdict.maybe.clear();
    verdict.sure.clear();
    const auto part = std::make_unique<Verdict>();
    for (const auto &child : children_) {
      child->find(window, within, *part);
      verdict.maybe.unite(part->maybe);
      verdict.sure.unite(part->sure);
    }
  }

  bool isRankable() const override { return areRankable(children_); }

  void score(const Window &window, const DocumentSet &set, WindowScores &scores) override {
    const auto part = std::make_unique<Verdict>();
    for (const auto &child : children_) {
      child->find(window, &set, *part);
      part->sure.intersect(set);
      child->score(window, part->sure, scores);
    }
  }

 private:
  std::vector<std::unique_ptr<SearchNode>> children_;
  const uint32_t rowCount_;
};

class NegatedSearch : public SearchNode {
 public:
  NegatedSearch(std::unique_ptr<SearchNode> child, uint32_t rowCount)
      : child_(std::move(child)), rowCount_(rowCount) {}

  uint64_t estimate() const override { return rowCount_; }

  void find(const Window &window, const DocumentSet *within, Verdict &verdict) override {
    const auto found = std::make_unique<Verdict>();
    child_->find(window, within, *found);
    verdict.maybe.fill(window.count);
    // Documents that the child has left out are not wanted here either.
    if (within != nullptr) verdict.maybe.intersect(*within);
    verdict.sure = verdict.maybe;
    verdict.maybe.subtract(found->sure);
    verdict.sure.subtract(found->maybe);
  }

  // Terms after a negation add nothing, but must be found without tests.
  bool isRankable() const override { return child_->isRankable(); }

 private:
  const std::unique_ptr<SearchNode> child_;
  const uint32_t rowCount_;
};

void removeHidden(const std::vector<uint32_t> &hidden, uint32_t first, Verdict &verdict) {
  for (auto next = std::lower_bound(hidden.begin(), hidden.end(), first);
       next != hidden.end() && *next - first < DocumentSet::kWindow; ++next) {
    verdict.maybe.remove(*next - first);
    verdict.sure.remove(*next - first);
  }
}

std::unique_ptr<SearchNode> make(Segment &segment, const Query &query, const Search::Columns &columns) {
  std::vector<std::unique_ptr<SearchNode>> children;
  for (const auto &child : query.children) children.push_back(make(segment, *child, columns));
  switch (query.kind) {
    case Query::Kind::words:
    case Query::Kind::near: return makeWords(segment, query, columns);
    case Query::Kind::part: return makePart(segment, query, columns);
    case Query::Kind::anything: return makeAnything(segment);
    case Query::Kind::all: return std::make_unique<AllSearch>(std::move(children));
    case Query::Kind::any: return std::make_unique<AnySearch>(std::move(children), segment.rowCount());
    case Query::Kind::negation: break;
  }
  return std::make_unique<NegatedSearch>(std::move(children.at(0)), segment.rowCount());
}

}  // namespace

std::unique_ptr<SearchNode> makeAnything(const Segment &segment) {
  return std::make_unique<AnythingSearch>(segment.rowCount());
}

Search::Search(Segment &segment, const Query &query, const Columns &columns)
    : segment_(segment), root_(make(segment, query, columns)) {}

Search::~Search() = default;

bool Search::rank(const RankingInput &input, const std::vector<uint32_t> &hidden, BestRows &best) {
  if (!root_->isRankable()) return false;
  if (PostingsReader *const list = root_->onlyList()) {
    rankList(*list, input, hidden, best);
    return true;
  }
  WindowScores scores(input, segment_);
  const auto verdict = std::make_unique<Verdict>();
  for (uint64_t first = 0; first < segment_.rowCount(); first += DocumentSet::kWindow) {
    const uint32_t start = static_cast<uint32_t>(first);
    find(start, *verdict);
    removeHidden(hidden, start, *verdict);
    if (verdict->sure.isEmpty()) continue;
    scores.begin(start);
    root_->score({start, std::min(DocumentSet::kWindow, segment_.rowCount() - start)}, verdict->sure, scores);
    verdict->sure.forEach([&](uint32_t document) {
      const double score = scores.take(start + document);
      if (score >= best.threshold()) best.add(score, segment_.rows().row(start + document));
    });
  }
  return true;
}

void Search::count(const std::vector<uint32_t> &hidden, uint64_t &sure, uint64_t &untested) {
  if (PostingsReader *const list = root_->onlyList(); list != nullptr && hidden.empty()) {
    sure = list->documentCount();
    return;
  }
  const auto verdict = std::make_unique<Verdict>();
  for (uint64_t first = 0; first < segment_.rowCount(); first += DocumentSet::kWindow) {
    const uint32_t start = static_cast<uint32_t>(first);
    find(start, *verdict);
    removeHidden(hidden, start, *verdict);
    sure += verdict->sure.count();
    verdict->maybe.subtract(verdict->sure);
    untested += verdict->maybe.count();
  }
}

// One word: a group is left out if even its highest count in its shortest text is not enough.
void Search::rankList(
  PostingsReader &list, const RankingInput &input, const std::vector<uint32_t> &hidden, BestRows &best) {
  const WindowScores scores(input, segment_);
  const double weight = input.weights[0];
  // The query has no other term.
  constexpr size_t term = 0;
  for (size_t group = 0; group < list.groupCount(); group++) {
    if (list.highestCount(group) != UINT32_MAX) {
      const double bound = scores.part(term, weight * list.highestCount(group), list.leastLength(group));
      // The bound is computed as the scores are, but in another order of operations at most.
      if (bound * (1 + 1e-9) < best.threshold()) continue;
    }
    list.load(group);
    for (size_t index = 0; index < list.count(); index++) {
      const uint32_t document = list.documents()[index];
      const double score = scores.part(term, weight * list.counts()[index], segment_.length(document));
      if (score < best.threshold() || std::binary_search(hidden.begin(), hidden.end(), document)) continue;
      best.add(score, segment_.rows().row(document));
    }
  }
}

uint64_t Search::estimate() const { return root_->estimate(); }

void Search::find(uint32_t first, Verdict &verdict) {
  const uint32_t count = std::min(DocumentSet::kWindow, segment_.rowCount() - first);
  root_->find({first, count}, nullptr, verdict);
}

}  // namespace todana::text
