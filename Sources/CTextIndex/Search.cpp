#include "Search.h"

#include <algorithm>

#include "SearchNodes.h"

namespace todana::text {

namespace {

std::unique_ptr<SearchNode> make(Segment &segment, const Query &query, const Search::Columns &columns) {
  SearchNodes children;
  for (const auto &child : query.children) children.push_back(make(segment, *child, columns));
  switch (query.kind) {
    case Query::Kind::words:
    case Query::Kind::near: return makeWords(segment, query, columns);
    case Query::Kind::part: return makePart(segment, query, columns);
    case Query::Kind::anything: return makeAnything(segment);
    case Query::Kind::all: return makeAll(std::move(children));
    case Query::Kind::any: return makeAny(std::move(children), segment);
    case Query::Kind::negation: break;
  }
  return makeNegation(std::move(children.at(0)), segment);
}

}  // namespace

void SearchNode::collect(
  const Window &window, const DocumentSet *within, DocumentSet &set, WindowScores &scores) {
  Verdict verdict;
  find(window, within, verdict);
  set = verdict.sure;
  if (within != nullptr) set.intersect(*within);
  if (!set.isEmpty()) score(window, set, scores);
}

void SearchNode::rank(const Window &window, DocumentSet &set, WindowScores &scores) {
  Verdict verdict;
  find(window, nullptr, verdict);
  set = verdict.sure;
  scores.removeTooLong(set);
  if (!set.isEmpty()) score(window, set, scores);
}

Search::Search(Segment &segment, const Query &query, const Columns &columns, std::vector<uint32_t> hidden)
    : segment_(segment), root_(make(segment, query, columns)), hidden_(std::move(hidden)) {}

Search::~Search() = default;

uint64_t Search::estimate() const { return root_->estimate(); }

bool Search::seek(uint32_t document, Window &window) {
  if (document >= segment_.rowCount()) return false;
  const uint32_t next = root_->next(document);
  if (next >= segment_.rowCount()) return false;
  window.first = next / DocumentSet::kWindow * DocumentSet::kWindow;
  window.count = std::min(DocumentSet::kWindow, segment_.rowCount() - window.first);
  return true;
}

void Search::removeHidden(const Window &window, DocumentSet &set) const {
  for (auto next = std::lower_bound(hidden_.begin(), hidden_.end(), window.first);
       next != hidden_.end() && *next < window.end(); ++next) {
    set.remove(*next - window.first);
  }
}

bool Search::find(uint32_t document, Window &window, Verdict &verdict) {
  if (!seek(document, window)) return false;
  root_->find(window, nullptr, verdict);
  removeHidden(window, verdict.maybe);
  removeHidden(window, verdict.sure);
  return true;
}

void Search::count(uint64_t &sure, uint64_t &untested) {
  const PostingsUnion *const terms = root_->onlyTerms();
  if (terms != nullptr && terms->hasDocumentsOnce() && hidden_.empty()) {
    sure = terms->documentCount();
    return;
  }
  Verdict verdict;
  Window window{0, 0};
  // The number of documents is lower than 2^32.
  for (; find(static_cast<uint32_t>(window.end()), window, verdict);) {
    sure += verdict.sure.count();
    verdict.maybe.subtract(verdict.sure);
    untested += verdict.maybe.count();
  }
}

bool Search::rank(WindowScores &scores, BestRows &best) {
  if (!root_->isRankable()) return false;
  if (PostingsUnion *const terms = root_->onlyTerms(); terms != nullptr && terms->onlyList() != nullptr) {
    rankList(*terms->onlyList(), scores.input(), best);
    return true;
  }
  DocumentSet found;
  Window window{0, 0};
  while (seek(static_cast<uint32_t>(window.end()), window)) {
    if (RankingInput::upper(root_->bound(window, scores.input())) < best.threshold()) continue;
    scores.begin(segment_, *root_, window, best.threshold());
    root_->rank(window, found, scores);
    found.forEach([&](uint32_t offset) {
      const double score = scores.take(offset);
      if (score < best.threshold()) return;
      const uint32_t document = window.first + offset;
      if (std::binary_search(hidden_.begin(), hidden_.end(), document)) return;
      best.add(score, segment_.rows().row(document));
    });
  }
  return true;
}

// One word: a group is left out if the relevance of all its documents is too low.
void Search::rankList(PostingsReader &list, const RankingInput &input, BestRows &best) {
  const double weight = input.weight(0);
  // The query has no other term.
  constexpr size_t term = 0;
  for (size_t group = 0; group < list.groupCount(); group++) {
    double bound = 0;
    list.forEachImpact(group, [&](uint32_t count, uint32_t length) {
      bound = std::max(bound, input.part(term, weight * count, length));
    });
    if (list.hasImpacts() && RankingInput::upper(bound) < best.threshold()) continue;
    list.load(group);
    for (size_t index = 0; index < list.count(); index++) {
      const uint32_t document = list.documents()[index];
      const double part = input.part(term, weight * list.counts()[index], segment_.length(document));
      const double score = RankingInput::value(RankingInput::units(part));
      if (score < best.threshold() || std::binary_search(hidden_.begin(), hidden_.end(), document)) continue;
      best.add(score, segment_.rows().row(document));
    }
  }
}

}  // namespace todana::text
