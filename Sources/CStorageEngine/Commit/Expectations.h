// The expectations of a batch's changes, and the result of checking them.
//
// Each keyspace writer passes the records that it finds. Nothing is changed before all writers have done so.
#pragma once

#include <string_view>
#include <vector>

#include "Batch.h"

namespace todana {

// Thrown from `apply` if records do not meet the batch's expectations. Nothing has been changed then.
struct Conflict {};

// The result for one batch. BatchCommit owns it; the keyspace writers fill it. One thread, inside `apply`.
class Expectations {
 public:
  explicit Expectations(const Batch &batch) : batch_(batch) {}

  // Checks the expectation of a change against the record under its key. `value` is ignored if there is none.
  void check(size_t index, bool exists, std::string_view value);
  // Checks like `check`, but keeps no token: a tree finds the old values again when it changes records.
  void checkEntry(size_t index, bool exists, std::string_view value) {
    if (!isMet(index, exists, value)) fail(index);
  }
  // Notes that the expectation of a change is not met.
  void fail(size_t index) { conflicts_.push_back(index); }

  bool hold() const { return conflicts_.empty(); }
  // Returns the indexes of changes whose expectations are not met, in ascending order.
  std::vector<uint64_t> conflicts() const;

  // Returns the tokens of existing records, for changes that do not expect a certain token.
  const Batch::OldTokens &oldTokens() const { return oldTokens_; }

 private:
  bool isMet(size_t index, bool exists, std::string_view value) const;

  const Batch &batch_;
  std::vector<uint64_t> conflicts_;
  Batch::OldTokens oldTokens_;
};

}  // namespace todana
