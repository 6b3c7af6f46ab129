// The relevance of a document: Okapi BM25 as SQLite's FTS5 computes it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace todana::text {

// The numbers of all segments on which the relevance depends.
class RankingInput {
 public:
  // `rarities` has the factor of each term of the query, in the order in which they were added, and `weights` that of
  // each property that is searched.
  RankingInput(std::vector<double> rarities, std::vector<double> weights, double averageLength);

  double weight(size_t column) const { return weights_[column]; }
  double rarity(size_t term) const { return rarities_[term]; }

  // The part of a term in the relevance of a document with so many words.
  double part(size_t term, double frequency, uint32_t wordCount) const {
    return rarities_[term] * (frequency * (kSaturation + 1)) / (frequency + slowness(wordCount));
  }

  // A part as a whole number, so that sums do not depend on their order: documents with equal parts have equal scores.
  static int64_t units(double part) { return static_cast<int64_t>(part * kUnits + 0.5); }
  static double value(int64_t units) { return static_cast<double>(units) / kUnits; }

  // The part of a term of the rarity 1. It grows with the frequency, but not without limit.
  double saturation(double frequency, uint32_t wordCount) const {
    return frequency * (kSaturation + 1) / (frequency + slowness(wordCount));
  }
  static constexpr double kHighestSaturation = 2.2;

  // Returns a number that no sum of the same parts exceeds, in another order or in units.
  static double upper(double sum) { return sum * (1 + 1e-9) + 1e-9; }

 private:
  static constexpr double kSaturation = 1.2;
  static constexpr double kUnits = int64_t{1} << 40;

  double slowness(uint32_t wordCount) const {
    return wordCount < slownesses_.size() ? slownesses_[wordCount] : computedSlowness(wordCount);
  }
  double computedSlowness(uint32_t wordCount) const {
    const double length = averageLength_ > 0 ? wordCount / averageLength_ : 1;
    return kSaturation * (1 - 0.75 + 0.75 * length);
  }

  std::vector<double> rarities_;
  std::vector<double> weights_;
  double averageLength_;
  // The slowness of short documents, by their numbers of words.
  std::array<double, 256> slownesses_;
};

}  // namespace todana::text
