#include "Expectations.h"

#include <algorithm>

#include "../Keyspaces/PlainRecord.h"

namespace todana {

bool Expectations::isMet(size_t index, bool exists, std::string_view value) const {
  const tdn_change &change = batch_.change(index);
  switch (change.expectation) {
    case TDN_EXPECT_ABSENT: return !exists;
    case TDN_EXPECT_PRESENT: return exists;
    // There are no records at all.
    case TDN_EXPECT_EXACTLY: return change.expected == 0;
    case TDN_EXPECT_TOKEN: return exists && recordToken(value.data(), value.size()) == change.expected;
    default: return change.kind != TDN_REMOVE || exists;
  }
}

void Expectations::check(size_t index, bool exists, std::string_view value) {
  if (!isMet(index, exists, value)) fail(index);
  // Keep the token: it is not part of the change, and is needed to remove the record from the digest of the keyspace.
  const int expectation = batch_.change(index).expectation;
  if (exists && (expectation == TDN_EXPECT_ANY || expectation == TDN_EXPECT_PRESENT)) {
    oldTokens_[index] = recordToken(value.data(), value.size());
  }
}

std::vector<uint64_t> Expectations::conflicts() const {
  // Sort, because new rows are checked before others.
  std::vector<uint64_t> sorted = conflicts_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace todana
