#include "WordWalk.h"

#include <algorithm>

namespace todana::text {

namespace {

bool isPrefix(const WordPattern &pattern) {
  return pattern.kind == WordPattern::Kind::beginning || pattern.kind == WordPattern::Kind::cut;
}

}  // namespace

WordWalk::WordWalk(Segment &segment, uint8_t column, const WordPattern &pattern)
    : pattern_(pattern), matcher_(pattern.bytes, pattern.edits),
      describesCutWords_(isPrefix(pattern) && pattern.bytes.size() <= kLongestWord), cursor_(segment.cursor()) {
  const size_t size = isPrefix(pattern) ? std::min(pattern.bytes.size(), kLongestWord) : 0;
  appendKey(TermKind::word, column, pattern.bytes.data(), size, prefix_);
  target_ = prefix_;
}

bool WordWalk::next() {
  while (move()) {
    if (cursor_.key().substr(0, prefix_.size()) != asKey(prefix_)) return false;
    if (!isWhole() || matches()) return true;
  }
  return false;
}

bool WordWalk::move() {
  if (target_.empty()) return cursor_.next();
  const bool isTerm = cursor_.seek(asKey(target_));
  target_.clear();
  return isTerm;
}

void WordWalk::skipExcluded() {
  const size_t size = matcher_.excludedSize();
  if (size == 0 || ++failureCount_ < kManyFailures) return;
  failureCount_ = 0;
  const Key excluded = cursor_.key().substr(0, kHead + size);
  target_.assign(excluded.begin(), excluded.end());
  // No byte of UTF-8 is the highest one.
  if (target_.back() == UINT8_MAX) return target_.clear();
  target_.back()++;
}

bool WordWalk::matches() {
  const Bytes &bytes = pattern_.bytes;
  const auto *const word = reinterpret_cast<const uint8_t *>(this->word().data());
  const size_t count = this->word().size();
  switch (pattern_.kind) {
    case WordPattern::Kind::whole:
    case WordPattern::Kind::cut: return false;
    case WordPattern::Kind::beginning: return count >= bytes.size();
    case WordPattern::Kind::end:
      return count >= bytes.size() && std::equal(bytes.begin(), bytes.end(), word + (count - bytes.size()));
    case WordPattern::Kind::fuzzy:
      if (!matcher_.mayMatch(word, count)) {
        skipExcluded();
        return false;
      }
      return pattern_.test(word, count);
  }
  return false;
}

}  // namespace todana::text
