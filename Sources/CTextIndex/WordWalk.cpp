#include "WordWalk.h"

#include <algorithm>

namespace todana::text {

namespace {

bool isPrefix(const WordPattern &pattern) {
  return pattern.kind == WordPattern::Kind::beginning || pattern.kind == WordPattern::Kind::cut;
}

}  // namespace

WordWalk::WordWalk(Segment &segment, uint8_t column, const WordPattern &pattern)
    : pattern_(pattern), filter_(pattern.bytes.data(), pattern.bytes.size(), pattern.edits),
      describesCutWords_(isPrefix(pattern) && pattern.bytes.size() <= kLongestWord), cursor_(segment.cursor()) {
  const size_t size = isPrefix(pattern) ? std::min(pattern.bytes.size(), kLongestWord) : 0;
  appendKey(TermKind::word, column, pattern.bytes.data(), size, prefix_);
}

bool WordWalk::next() {
  for (;;) {
    const bool isTerm = hasBegun_ ? cursor_.next() : cursor_.seek(asKey(prefix_));
    hasBegun_ = true;
    if (!isTerm || cursor_.key().substr(0, prefix_.size()) != asKey(prefix_)) return false;
    if (!isWhole() || matches()) return true;
  }
}

bool WordWalk::matches() const {
  const Bytes &bytes = pattern_.bytes;
  const auto *const word = reinterpret_cast<const uint8_t *>(this->word().data());
  const size_t count = this->word().size();
  switch (pattern_.kind) {
    case WordPattern::Kind::whole:
    case WordPattern::Kind::cut: return false;
    case WordPattern::Kind::beginning: return count >= bytes.size();
    case WordPattern::Kind::end:
      return count >= bytes.size() && std::equal(bytes.begin(), bytes.end(), word + (count - bytes.size()));
    case WordPattern::Kind::fuzzy: return filter_.mayMatch(word, count) && pattern_.test(word, count);
  }
  return false;
}

}  // namespace todana::text
