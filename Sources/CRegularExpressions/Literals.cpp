#include <re2/filtered_re2.h>

#include <exception>
#include <string>
#include <vector>

#include "Options.h"

namespace {

// Shorter literals are in too many texts.
constexpr int kShortestLiteral = 3;
// The most literals of which all sets are tried.
constexpr size_t kMostLiterals = 8;

// A set of literals, a bit for each.
using LiteralSet = uint32_t;

class LiteralFilter {
 public:
  explicit LiteralFilter(const re2::StringPiece &pattern) : filter_(kShortestLiteral) {
    int number = 0;
    isValid_ = filter_.Add(pattern, options(), &number) == re2::RE2::NoError;
    if (isValid_) filter_.Compile(&literals_);
  }

  bool isValid() const { return isValid_; }
  const std::vector<std::string> &literals() const { return literals_; }

  // Tests whether a text with these literals, and without the others, may have a match.
  bool mayMatch(const std::vector<int> &literals) const {
    std::vector<int> found;
    filter_.AllPotentials(literals, &found);
    return !found.empty();
  }

  bool mayMatch(LiteralSet set) const {
    std::vector<int> literals;
    for (size_t index = 0; index < literals_.size(); index++) {
      if ((set >> index & 1) != 0) literals.push_back(static_cast<int>(index));
    }
    return mayMatch(literals);
  }

  // Returns those literals without each of which there is no match.
  std::vector<size_t> required() const {
    std::vector<size_t> required;
    for (size_t left = 0; left < literals_.size(); left++) {
      std::vector<int> others;
      for (size_t index = 0; index < literals_.size(); index++) {
        if (index != left) others.push_back(static_cast<int>(index));
      }
      if (!mayMatch(others)) required.push_back(left);
    }
    return required;
  }

  // Returns the smallest sets with which there may be a match.
  std::vector<LiteralSet> alternatives() const {
    std::vector<LiteralSet> alternatives;
    // A set comes after all sets that it contains.
    for (LiteralSet set = 0; set < LiteralSet{1} << literals_.size(); set++) {
      bool isSmallest = true;
      for (const LiteralSet other : alternatives) isSmallest = isSmallest && (set & other) != other;
      if (isSmallest && mayMatch(set)) alternatives.push_back(set);
    }
    return alternatives;
  }

 private:
  re2::FilteredRE2 filter_;
  std::vector<std::string> literals_;
  bool isValid_ = false;
};

}  // namespace

bool tdr_find_literals(const uint8_t *pattern, size_t count, tdr_take_literal take, void *context) {
  try {
    const LiteralFilter filter(piece(pattern, count));
    if (!filter.isValid() || filter.literals().empty()) return true;
    const auto give = [&](size_t alternative, size_t literal) {
      const std::string &bytes = filter.literals()[literal];
      take(context, alternative, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    };
    if (filter.literals().size() > kMostLiterals) {
      for (const size_t literal : filter.required()) give(0, literal);
      return true;
    }
    const std::vector<LiteralSet> alternatives = filter.alternatives();
    for (size_t alternative = 0; alternative < alternatives.size(); alternative++) {
      for (size_t literal = 0; literal < filter.literals().size(); literal++) {
        if ((alternatives[alternative] >> literal & 1) != 0) give(alternative, literal);
      }
    }
    return true;
  } catch (const std::exception &) {
    return false;
  }
}
