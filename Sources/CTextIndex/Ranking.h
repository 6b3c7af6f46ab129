// The rows with the highest relevance: Okapi BM25 as SQLite's FTS5 computes it.
#pragma once

#include <memory>
#include <vector>

#include "DocumentSet.h"
#include "Segment.h"

namespace todana::text {

// The numbers of all segments on which the relevance depends.
struct RankingInput {
  std::vector<double> rarities;  // of each term of the query, in the order in which they were added
  std::vector<double> weights;   // of each property that is searched
  double averageLength = 0;
};

// Collects the best rows: higher scores come first, and among equal ones lower row ids.
class BestRows {
 public:
  struct Row {
    double score;
    uint64_t row;
  };

  explicit BestRows(size_t limit) : limit_(limit) {}

  void add(double score, uint64_t row);
  // The score below which no row is kept.
  double threshold() const { return rows_.size() < limit_ ? -1 : rows_.front().score; }
  size_t count() const { return rows_.size(); }
  // Returns the rows in ascending order of their ids.
  std::vector<uint64_t> rows() const;

 private:
  const size_t limit_;
  // A heap with the worst row first.
  std::vector<Row> rows_;
};

// The scores of the documents of a window.
class WindowScores {
 public:
  WindowScores(const RankingInput &input, const Segment &segment)
      : input_(input), segment_(segment), scores_(DocumentSet::kWindow), frequencies_(DocumentSet::kWindow) {}

  void begin(uint32_t first) { first_ = first; }
  double weight(size_t column) const { return input_.weights[column]; }

  // Adds places of the current term.
  void addFrequency(uint32_t document, double frequency) {
    double &known = frequencies_[document - first_];
    if (known == 0) touched_.push_back(document);
    known += frequency;
  }
  // Ends the current term: adds its part to the scores.
  void endTerm(size_t term) {
    for (const uint32_t document : touched_) {
      double &frequency = frequencies_[document - first_];
      scores_[document - first_] += part(term, frequency, segment_.length(document));
      frequency = 0;
    }
    touched_.clear();
  }

  // The part of a term in the relevance of a document with so many words.
  double part(size_t term, double frequency, uint32_t wordCount) const {
    const double length = input_.averageLength > 0 ? wordCount / input_.averageLength : 1;
    return input_.rarities[term] * (frequency * (1.2 + 1)) / (frequency + 1.2 * (1 - 0.75 + 0.75 * length));
  }

  // Returns the score of a document, and forgets it.
  double take(uint32_t document) {
    double &score = scores_[document - first_];
    const double taken = score;
    score = 0;
    return taken;
  }

 private:
  const RankingInput &input_;
  const Segment &segment_;
  uint32_t first_ = 0;
  std::vector<double> scores_;
  std::vector<double> frequencies_;
  std::vector<uint32_t> touched_;
};

}  // namespace todana::text
