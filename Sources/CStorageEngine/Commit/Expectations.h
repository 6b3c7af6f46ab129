// The expectations of a batch's changes, and the outcome of checking them.
//
// Each writer of a keyspace passes in the records that it finds; nothing is changed before all of them have done so.
#pragma once

#include <string_view>
#include <vector>

#include "Batch.h"

namespace todana {

// Thrown out of `apply` if records are not as the batch expects. Nothing has been changed then.
struct Conflict {};

// The outcome for one batch. BatchCommit owns it; the keyspace writers fill it in. One thread, inside `apply`.
class Expectations {
 public:
  explicit Expectations(const Batch &batch) : batch_(batch) {}

  // Compares the expectation of a change with the record under its key. `value` is ignored if there is none.
  void check(size_t index, bool exists, std::string_view value);
  // Notes that the expectation of a change does not hold.
  void fail(size_t index) { conflicts_.push_back(index); }

  bool hold() const { return conflicts_.empty(); }
  // Returns the changes whose expectations do not hold, in ascending order.
  std::vector<uint64_t> conflicts() const;

  // The tokens of the records that are there, for changes that do not expect one.
  const Batch::OldTokens &oldTokens() const { return oldTokens_; }

 private:
  const Batch &batch_;
  std::vector<uint64_t> conflicts_;
  Batch::OldTokens oldTokens_;
};

}  // namespace todana
