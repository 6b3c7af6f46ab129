// The search of a segment for a query, window by window.
#pragma once

#include "DocumentSet.h"
#include "Query.h"
#include "Ranking.h"
#include "Segment.h"

namespace todana::text {

// The documents of a window that may meet a query, and those that do. The others of `maybe` have to be tested.
struct Verdict {
  DocumentSet maybe;
  DocumentSet sure;
};

class SearchNode;

class Search {
 public:
  // The properties of the index that are searched, and whether these are all of them.
  struct Columns {
    std::vector<uint8_t> numbers;
    bool areAll;
  };

  // `query` must live as long as the search is made. Reads the dictionary. Throws Damaged, CallerFailed.
  Search(Segment &segment, const Query &query, const Columns &columns);
  ~Search();

  // The number of documents that the search finds at most.
  uint64_t estimate() const;

  // Adds the best rows, without hidden documents (in ascending order). Returns false if texts have to be read for that.
  bool rank(const RankingInput &input, const std::vector<uint32_t> &hidden, BestRows &best);

  // Counts the documents that are found, without hidden ones.
  void count(const std::vector<uint32_t> &hidden, uint64_t &sure, uint64_t &untested);

  // Finds the documents of the window from `first`, a multiple of DocumentSet::kWindow.
  void find(uint32_t first, Verdict &verdict);

 private:
  void rankList(
    PostingsReader &list, const RankingInput &input, const std::vector<uint32_t> &hidden, BestRows &best);

  Segment &segment_;
  std::unique_ptr<SearchNode> root_;
};

}  // namespace todana::text
