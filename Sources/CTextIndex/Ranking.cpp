#include "Ranking.h"

#include <algorithm>

#include "SearchNodes.h"

namespace todana::text {

namespace {

bool isBetter(const BestRows::Row &one, const BestRows::Row &other) {
  return one.score != other.score ? one.score > other.score : one.row < other.row;
}

}  // namespace

RankingInput::RankingInput(std::vector<double> rarities, std::vector<double> weights, double averageLength)
    : rarities_(std::move(rarities)), weights_(std::move(weights)), averageLength_(averageLength) {
  for (uint32_t wordCount = 0; wordCount < slownesses_.size(); wordCount++) slownesses_[wordCount] = computedSlowness(wordCount);
}

void BestRows::add(double score, uint64_t row) {
  if (limit_ == 0) return;
  const Row added{score, row};
  if (rows_.size() == limit_) {
    if (!isBetter(added, rows_.front())) return;
    std::pop_heap(rows_.begin(), rows_.end(), isBetter);
    rows_.pop_back();
  }
  rows_.push_back(added);
  std::push_heap(rows_.begin(), rows_.end(), isBetter);
}

std::vector<uint64_t> BestRows::rows() const {
  std::vector<uint64_t> rows;
  for (const Row &row : rows_) rows.push_back(row.row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool WindowScores::mayPassWithLength(uint32_t length) const {
  return RankingInput::upper(root_->boundOfLength(length, input_)) >= threshold_;
}

}  // namespace todana::text
