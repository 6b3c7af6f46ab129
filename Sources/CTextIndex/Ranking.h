// The rows with the highest relevance: Okapi BM25 as SQLite's FTS5 computes it.
#pragma once

#include <memory>
#include <vector>

#include "DocumentSet.h"
#include "RankingInput.h"
#include "Segment.h"

namespace todana::text {

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

class SearchNode;

// The scores of the documents of a window, and the score that they need.
class WindowScores {
 public:
  explicit WindowScores(const RankingInput &input) : input_(input) {}

  const RankingInput &input() const { return input_; }

  // Begins a window, all scores of which are 0. Documents with a score below the threshold may be left out. `root` knows
  // the bounds of the window.
  void begin(const Segment &segment, const SearchNode &root, const Window &window, double threshold) {
    segment_ = &segment;
    root_ = &root;
    first_ = window.first;
    threshold_ = threshold;
    std::fill_n(verdicts_, kLengths, LengthVerdict::unknown);
  }

  double threshold() const { return threshold_; }
  // Returns whether a document may reach the threshold, by its length. Documents are counted from the beginning of the
  // window.
  bool mayPass(uint32_t document) {
    const uint32_t length = this->length(document);
    if (length >= kLengths) return mayPassWithLength(length);
    LengthVerdict &verdict = verdicts_[length];
    if (verdict == LengthVerdict::unknown) {
      verdict = mayPassWithLength(length) ? LengthVerdict::passes : LengthVerdict::fails;
    }
    return verdict == LengthVerdict::passes;
  }
  void removeTooLong(DocumentSet &set) {
    set.forEach([&](uint32_t document) {
      if (!mayPass(document)) set.remove(document);
    });
  }

  // Adds the part of a term, all places of which are given at once.
  void add(size_t term, uint32_t document, double frequency) {
    scores_[document - first_] += RankingInput::units(input_.part(term, frequency, segment_->length(document)));
  }

  // Adds places of the current term, which come in several calls.
  void addFrequency(uint32_t document, double frequency) {
    // A weight of 0 is allowed.
    if (!(frequency > 0)) return;
    if (frequencies_.empty()) frequencies_.resize(DocumentSet::kWindow);
    double &known = frequencies_[document - first_];
    if (known == 0) touched_.push_back(document - first_);
    known += frequency;
  }
  // Ends the current term: adds its part to the scores.
  void endTerm(size_t term) {
    for (const uint32_t document : touched_) {
      scores_[document] +=
        RankingInput::units(input_.part(term, frequencies_[document], segment_->length(first_ + document)));
      frequencies_[document] = 0;
    }
    touched_.clear();
  }

  // Documents are counted from the beginning of the window.
  uint32_t length(uint32_t document) const { return segment_->length(first_ + document); }
  double score(uint32_t document) const { return RankingInput::value(scores_[document]); }
  // Returns the score of a document, and forgets it.
  double take(uint32_t document) {
    const double taken = score(document);
    scores_[document] = 0;
    return taken;
  }

 private:
  bool mayPassWithLength(uint32_t length) const;

  const RankingInput &input_;
  const Segment *segment_ = nullptr;
  const SearchNode *root_ = nullptr;
  uint32_t first_ = 0;
  double threshold_ = -1;
  // The number of lengths of documents that are distinguished.
  static constexpr uint32_t kLengths = 64;
  enum class LengthVerdict : uint8_t { unknown, passes, fails };
  LengthVerdict verdicts_[kLengths] = {};
  int64_t scores_[DocumentSet::kWindow] = {};
  // The numbers of places of the current term, and the documents that have some; empty before the first ones.
  std::vector<double> frequencies_;
  std::vector<uint32_t> touched_;
};

}  // namespace todana::text
