#include "Batch.h"

#include <unordered_set>

namespace todana {

Batch::Batch(const tdn_batch &batch, FileTable &table) : batch_(batch), changes_(batch.changes) {
  std::unordered_set<uint32_t> seen;
  for (size_t index = 0; index < batch.change_count;) {
    uint32_t id = change(index).keyspace;
    if (!seen.insert(id).second) invalid("changes of one keyspace must stand together", index);
    BatchRun run{&table.keyspace(id), index, index, 0, 0, false, true, false};
    for (; run.end < batch.change_count && change(run.end).keyspace == id; run.end++) {
      checkChange(run, run.end);
      if (run.end > run.first) checkOrder(run, run.end);
      const tdn_change &change = this->change(run.end);
      run.isCleared |= change.kind == TDN_CLEAR;
      run.isPlain &= change.kind == TDN_PUT || change.kind == TDN_REMOVE;
      run.hasChanges |= change.kind != TDN_CHECK;
      if (change.kind == TDN_PUT) {
        run.putCount++;
        if (run.keyspace->hasRows()) run.lastRow = change.key;  // they are in order
      }
    }
    runs_.push_back(run);
    index = run.end;
  }
}

void Batch::makeOwn() {
  if (!ownChanges_.empty()) return;
  ownChanges_.assign(batch_.changes, batch_.changes + batch_.change_count);
  changes_ = ownChanges_.data();
}

void Batch::replaceValue(size_t index, std::string value) {
  makeOwn();
  ownChanges_[index].value = kReplaced | replaced_.size();
  ownChanges_[index].value_length = value.size();
  replaced_.push_back(std::move(value));
}

void Batch::simplify(BatchRun &run, const OldTokens &oldTokens) {
  if (run.isPlain) return;
  makeOwn();
  size_t end = run.first;
  for (size_t index = run.first; index < run.end; index++) {
    tdn_change change = ownChanges_[index];
    if (change.kind == TDN_CHECK || change.kind == TDN_CLEAR) continue;
    const auto old = oldTokens.find(index);
    if (old != oldTokens.end()) {
      change.expectation = TDN_EXPECT_TOKEN;
      change.expected = old->second;
    } else if (change.kind == TDN_ERASE) {
      continue;
    } else if (change.expectation == TDN_EXPECT_ANY) {
      // Found by this change's index alone, which is to be another one.
      change.expectation = TDN_EXPECT_ABSENT;
    }
    if (change.kind == TDN_ERASE) change.kind = TDN_REMOVE;
    ownChanges_[end++] = change;
  }
  run.end = end;
}

// MARK: Checking

void Batch::checkChange(const BatchRun &run, size_t index) const {
  checkKind(run, index);
  if (change(index).kind != TDN_CLEAR) checkKey(run, index);
  if (change(index).kind == TDN_PUT) checkValue(run, index);
}

void Batch::checkKind(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (change.expectation > TDN_EXPECT_TOKEN) invalid("a change has an unknown expectation", index);
  switch (change.kind) {
    case TDN_PUT: break;
    case TDN_REMOVE:
      if (change.expectation == TDN_EXPECT_ABSENT) invalid("a removal expects that there is no record", index);
      break;
    case TDN_ERASE:
      if (change.expectation != TDN_EXPECT_ANY) invalid("an erasure expects something", index);
      break;
    case TDN_CHECK:
      if (change.expectation == TDN_EXPECT_ANY) invalid("a check expects nothing", index);
      break;
    case TDN_CLEAR:
      if (change.expectation != TDN_EXPECT_ANY) invalid("a clearing expects something", index);
      if (change.key != 0 || change.key_length != 0) invalid("a clearing has a key", index);
      if (index != run.first) invalid("a clearing does not come first", index);
      break;
    default: invalid("a change is of no known kind", index);
  }
}

void Batch::checkKey(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (run.keyspace->hasRows()) {
    // The last row id is kept free, so that there is always a next one.
    if (change.key_length != 0 || change.key == 0 || change.key == UINT64_MAX) invalid("a row id is impossible", index);
    return;
  }
  if (change.key_length == 0) invalid("a key is empty", index);
  if (!isWithinBytes(change.key, change.key_length)) invalid("a key lies outside of the batch's bytes", index);
  if (change.key_length > kMaximumKeyLength) {
    throw Failure(TDN_LIMIT, "a key is longer than 1,024 bytes: store a prefix and a digest of it instead");
  }
}

void Batch::checkValue(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (!isWithinBytes(change.value, change.value_length)) invalid("a value lies outside of the batch's bytes", index);
  if (change.value_length > kMaximumValueLength) {
    Failure failure(TDN_LIMIT, "a record is larger than 1 GiB: divide it into several records");
    failure.keyspace = change.keyspace;
    failure.hasRow = run.keyspace->hasRows();
    failure.row = change.key;
    throw failure;
  }
}

void Batch::checkOrder(const BatchRun &run, size_t index) const {
  const tdn_change &before = change(index - 1), &after = change(index);
  bool isOrdered;
  if (run.keyspace->hasRows()) {
    isOrdered = before.key < after.key;
  } else {
    std::string_view first(bytes(before.key), before.key_length), second(bytes(after.key), after.key_length);
    isOrdered = first < second;
  }
  if (!isOrdered) invalid("changes are not in the order of their keys, or two have the same key", index);
}

void Batch::invalid(const char *what, size_t index) const {
  Failure failure(
    TDN_INVALID, "the batch is not well-formed: " + std::string(what) + " (change " + std::to_string(index) + ")");
  failure.keyspace = change(index).keyspace;
  throw failure;
}

}  // namespace todana
