#include "Expectations.h"

#include <algorithm>

#include "../Keyspaces/PlainRecord.h"

namespace todana {

void Expectations::check(size_t index, bool exists, std::string_view value) {
  const tdn_change &change = batch_.change(index);
  bool isExpected = change.kind != TDN_REMOVE || exists;
  if (change.expectation == TDN_EXPECT_ABSENT) isExpected = !exists;
  if (change.expectation == TDN_EXPECT_PRESENT) isExpected = exists;
  if (change.expectation == TDN_EXPECT_TOKEN) {
    isExpected = exists && recordToken(value.data(), value.size()) == change.expected;
  }
  if (!isExpected) fail(index);
  // Keep the token: it is not part of the change, and is needed to remove the record from the digest of the keyspace.
  if (exists && (change.expectation == TDN_EXPECT_ANY || change.expectation == TDN_EXPECT_PRESENT)) {
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
