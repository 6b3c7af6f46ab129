// The parts of a search (Search.h).
#pragma once

#include "PostingsUnion.h"
#include "Ranking.h"
#include "Search.h"

namespace todana::text {

struct Window {
  uint32_t first;
  uint32_t count;
};

class SearchNode {
 public:
  virtual ~SearchNode() = default;
  // The number of documents that it finds at most.
  virtual uint64_t estimate() const = 0;
  // Fills a verdict. Documents outside of `within`, if it is not null, may be left out.
  virtual void find(const Window &window, const DocumentSet *within, Verdict &verdict) = 0;

  // Whether the segment alone gives the relevance of documents.
  virtual bool isRankable() const { return false; }
  // Adds the parts of all terms in the relevance of the documents of a set, which the node finds.
  virtual void score(const Window &, const DocumentSet &, WindowScores &) {}
  // The only list of documents, if the node is a term with one; otherwise null.
  virtual PostingsReader *onlyList() { return nullptr; }
};

// The terms of the dictionary that a pattern describes.
struct WordTerms {
  // For each property that is searched.
  std::vector<PostingsUnion> columns;
  // Words that are too long for the dictionary, and may be described.
  PostingsUnion uncertain;

  WordTerms(Segment &segment, const WordPattern &pattern, const Search::Columns &searched, bool keepsLists);

  uint64_t estimate() const;
};

std::unique_ptr<SearchNode> makeWords(Segment &segment, const Query &query, const Search::Columns &columns);
std::unique_ptr<SearchNode> makePart(Segment &segment, const Query &query, const Search::Columns &columns);
// Finds nothing for sure, and everything perhaps.
std::unique_ptr<SearchNode> makeAnything(const Segment &segment);

}  // namespace todana::text
