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

  // `query` must live as long as the search is made. `hidden` has documents that are left out, in ascending order. Reads
  // the dictionary. Throws Damaged, CallerFailed.
  Search(Segment &segment, const Query &query, const Columns &columns, std::vector<uint32_t> hidden);
  ~Search();

  // The number of documents that the search finds at most.
  uint64_t estimate() const;

  // Adds the best rows. Returns false if texts have to be read for that.
  bool rank(WindowScores &scores, BestRows &best);

  // Counts the documents that are found.
  void count(uint64_t &sure, uint64_t &untested);

  // Finds the documents of the first window at or after a document that may have some. Returns false if there is none.
  bool find(uint32_t document, Window &window, Verdict &verdict);

 private:
  bool seek(uint32_t document, Window &window);
  void removeHidden(const Window &window, DocumentSet &set) const;
  void rankList(PostingsReader &list, const RankingInput &input, BestRows &best);

  Segment &segment_;
  const std::unique_ptr<SearchNode> root_;
  const std::vector<uint32_t> hidden_;
};

}  // namespace todana::text
