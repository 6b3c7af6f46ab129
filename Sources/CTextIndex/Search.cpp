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

 private:
  const std::unique_ptr<SearchNode> child_;
  const uint32_t rowCount_;
};

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

uint64_t Search::estimate() const { return root_->estimate(); }

void Search::find(uint32_t first, Verdict &verdict) {
  const uint32_t count = std::min(DocumentSet::kWindow, segment_.rowCount() - first);
  root_->find({first, count}, nullptr, verdict);
}

}  // namespace todana::text
