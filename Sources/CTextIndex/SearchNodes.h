// The parts of a search (Search.h).
#pragma once

#include "PostingsUnion.h"
#include "Ranking.h"
#include "Search.h"

namespace todana::text {

class SearchNode {
 public:
  virtual ~SearchNode() = default;
  // The number of documents that it finds at most.
  virtual uint64_t estimate() const = 0;
  // Returns a document from `document` on before which it finds none; kNoDocument if it finds no more.
  virtual uint32_t next(uint32_t document) { return document; }
  // Fills a verdict. Documents outside of `within`, if it is not null, may be left out.
  virtual void find(const Window &window, const DocumentSet *within, Verdict &verdict) = 0;

  // Whether the segment alone gives the relevance of documents.
  virtual bool isRankable() const { return false; }
  // The highest relevance that a document of a window may have.
  virtual double bound(const Window &, const RankingInput &) { return 0; }
  // As `bound` for the window of its last call, for documents with so many words.
  virtual double boundOfLength(uint32_t, const RankingInput &) const { return 0; }
  // Adds the parts of all terms in the relevance of the documents of a set, which the node finds.
  virtual void score(const Window &, const DocumentSet &, WindowScores &) {}
  // Finds the documents of a window, of `within` if it is not null, and adds the parts of all terms. May leave out
  // documents that are too long for the threshold.
  virtual void collect(const Window &window, const DocumentSet *within, DocumentSet &set, WindowScores &scores);
  // As `collect`, but may leave out documents that do not reach the threshold.
  virtual void rank(const Window &window, DocumentSet &set, WindowScores &scores);
  // The documents, if the node is a term of one property without uncertain ones; otherwise null.
  virtual PostingsUnion *onlyTerms() { return nullptr; }
};

using SearchNodes = std::vector<std::unique_ptr<SearchNode>>;

// The terms of the dictionary that a pattern describes.
struct WordTerms {
  // For each property that is searched.
  std::vector<PostingsUnion> columns;
  // Words that are too long for the dictionary, and may be described.
  PostingsUnion uncertain;

  WordTerms(Segment &segment, const WordPattern &pattern, const Search::Columns &searched, bool keepsLists);

  uint64_t estimate() const;
  // Returns the first document that is `document` or a later one; kNoDocument if there is none.
  uint32_t next(uint32_t document);
};

// Returns a document from `document` on before whose window no window has documents of all parts; kNoDocument if none
// has. The parts are pointers to anything with a function `next`.
template <typename Parts>
uint32_t nextOfAll(const Parts &parts, uint32_t document) {
  for (;;) {
    const uint32_t window = document / DocumentSet::kWindow;
    uint32_t latest = document;
    for (const auto &part : parts) {
      const uint32_t next = part->next(latest);
      if (next == kNoDocument) return kNoDocument;
      if (next / DocumentSet::kWindow == window) continue;
      latest = next / DocumentSet::kWindow * DocumentSet::kWindow;
      break;
    }
    if (latest == document) return document;
    document = latest;
  }
}

std::unique_ptr<SearchNode> makeWords(Segment &segment, const Query &query, const Search::Columns &columns);
std::unique_ptr<SearchNode> makePhrase(Segment &segment, const Query &query, const Search::Columns &columns);
std::unique_ptr<SearchNode> makePart(Segment &segment, const Query &query, const Search::Columns &columns);
// Finds nothing for sure, and everything perhaps.
std::unique_ptr<SearchNode> makeAnything(const Segment &segment);
std::unique_ptr<SearchNode> makeAll(SearchNodes parts);
std::unique_ptr<SearchNode> makeAny(SearchNodes parts, const Segment &segment);
std::unique_ptr<SearchNode> makeNegation(std::unique_ptr<SearchNode> child, const Segment &segment);

}  // namespace todana::text
