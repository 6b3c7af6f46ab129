#include "Batch.h"

#include <algorithm>
#include <unordered_set>

#include "../Kyoto/HashFormat.h"

namespace todana {

namespace {

// The rank of changes of one key.
constexpr int kKeyRank = 3;

// Returns the position of a kind in the order of changes within a keyspace.
int rank(const tdn_change &change) {
  switch (change.kind) {
    case TDN_CLEAR: return 0;
    case TDN_CHECK_RANGE: return 1;
    case TDN_REMOVE_RANGE: return 2;
    case TDN_PUT_NUMBERED: return kKeyRank + 1;
    default: return kKeyRank;
  }
}

}  // namespace

Batch::Batch(const tdn_batch &batch, FileTable &table) : batch_(batch), changes_(batch.changes) {
  divide([&](const tdn_change &first) -> Keyspace & {
    return first.kind == TDN_ADOPT ? table.loading(first.keyspace) : table.keyspace(first.keyspace);
  });
}

Batch::Batch(const tdn_batch &batch, Keyspace &loading) : batch_(batch), changes_(batch.changes) {
  divide([&](const tdn_change &first) -> Keyspace & {
    if (first.keyspace != loading.id) invalid("a change belongs to another keyspace than the loaded one", 0);
    return loading;
  });
}

// Tests whether a change is a put of a row that `checkChange` would accept, as most changes are.
inline bool Batch::isSimplePut(const tdn_change &change) const {
  return change.kind == TDN_PUT && change.expectation < TDN_EXPECT_AT_MOST && change.key_length == 0 &&
         change.key != 0 && change.key != UINT64_MAX && change.value_length <= kMaximumValueLength &&
         isWithinBytes(change.value, change.value_length);
}

template <class FindKeyspace> void Batch::divide(FindKeyspace find) {
  std::unordered_set<uint32_t> seen;
  for (size_t index = 0; index < batch_.change_count;) {
    uint32_t id = change(index).keyspace;
    if (!seen.insert(id).second) invalid("the changes of one keyspace are not adjacent", index);
    BatchRun run{&find(change(index)), index, index, 0, 0, false, true, false, false, false, false};
    const bool hasRows = run.keyspace->hasRows();
    uint32_t kinds = 0;  // one bit for each kind that occurs
    for (; run.end < batch_.change_count && change(run.end).keyspace == id; run.end++) {
      const tdn_change &change = this->change(run.end);
      if (!hasRows || !isSimplePut(change)) checkChange(run, run.end);
      const bool isNextRow = hasRows && change.kind == TDN_PUT && run.end > run.first &&
                             this->change(run.end - 1).kind == TDN_PUT && this->change(run.end - 1).key < change.key;
      if (run.end > run.first && !isNextRow) checkOrder(run, run.end);
      kinds |= 1U << change.kind;
      if (change.kind == TDN_PUT || change.kind == TDN_PUT_NUMBERED) {
        run.putCount++;
        if (hasRows) run.lastRow = change.key;  // rows are in order
      }
    }
    const auto has = [kinds](auto... kind) { return (kinds & (... | (1U << kind))) != 0; };
    const auto hasOnly = [kinds](auto... kind) { return (kinds & ~(... | (1U << kind))) == 0; };
    if (has(TDN_REMOVE_RANGE)) checkRemovedRanges(run);
    run.isCleared = has(TDN_CLEAR);
    run.isPlain = hasOnly(TDN_PUT, TDN_REMOVE);
    run.hasChanges = !hasOnly(TDN_CHECK, TDN_CHECK_RANGE);
    run.isNumbered = has(TDN_PUT_NUMBERED);
    run.isDropped = has(TDN_DROP);
    run.isAdopted = has(TDN_ADOPT);
    if ((run.isDropped || run.isAdopted) && run.end - run.first > 1) {
      invalid("a keyspace is dropped or adopted, and changed", index);
    }
    runs_.push_back(run);
    index = run.end;
  }
}

std::string Batch::numberedKey(const tdn_change &change, uint64_t commitNumber) const {
  char number[kCommitNumberLength];
  writeBigEndian64(number, commitNumber);
  return std::string(number, sizeof number).append(key(change));
}

void Batch::numberKeys(BatchRun &run, uint64_t commitNumber) {
  makeOwn();
  for (size_t index = run.first; index < run.end; index++) {
    tdn_change &change = ownChanges_[index];
    if (change.kind != TDN_PUT_NUMBERED) continue;
    replaced_.push_back(numberedKey(change, commitNumber));
    change.key = kReplaced | (replaced_.size() - 1);
    change.key_length = static_cast<uint16_t>(replaced_.back().size());
    change.kind = TDN_PUT;
  }
  // Sort again: other changes of the tree may have keys before or after the new ones.
  const auto first = ownChanges_.begin() + static_cast<ptrdiff_t>(run.first);
  const auto end = ownChanges_.begin() + static_cast<ptrdiff_t>(run.end);
  std::sort(first, end, [&](const tdn_change &a, const tdn_change &b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) == kKeyRank && key(a) < key(b);
  });
  for (size_t index = run.first + 1; index < run.end; index++) {
    const tdn_change &before = change(index - 1), &after = change(index);
    if (rank(before) == kKeyRank && rank(after) == kKeyRank && key(before) == key(after)) {
      invalid("two changes have the same key", index);
    }
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
    if (change.kind == TDN_CHECK || change.kind == TDN_CHECK_RANGE || change.kind == TDN_CLEAR) continue;
    const auto old = oldTokens.find(index);
    if (old != oldTokens.end()) {
      change.expectation = TDN_EXPECT_TOKEN;
      change.expected = old->second;
    } else if (change.kind == TDN_ERASE) {
      continue;
    } else if (change.expectation == TDN_EXPECT_ANY) {
      // The key had no record. Note this in the change: old tokens are listed by original indexes, which are lost here.
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
  switch (change(index).kind) {
    case TDN_CLEAR:
    case TDN_DROP:
    case TDN_ADOPT:
      if (change(index).key != 0 || change(index).key_length != 0) invalid("a change of a whole keyspace has a key", index);
      break;
    case TDN_CHECK_RANGE:
    case TDN_REMOVE_RANGE: checkRange(run, index); break;
    case TDN_PUT_NUMBERED: checkNumbered(run, index); break;
    default: checkKey(run, index);
  }
  if (change(index).kind == TDN_PUT || change(index).kind == TDN_PUT_NUMBERED) checkValue(run, index);
}

void Batch::checkKind(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (change.expectation > TDN_EXPECT_EXACTLY) invalid("a change has an unknown expectation", index);
  if ((change.expectation == TDN_EXPECT_AT_MOST) != (change.kind == TDN_CHECK_RANGE) ||
      (change.expectation == TDN_EXPECT_EXACTLY) != (change.kind == TDN_REMOVE_RANGE)) {
    invalid("a number of keys is expected of a range, and of nothing else", index);
  }
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
      if (index != run.first) invalid("a clearing does not come first", index);
      break;
    case TDN_CHECK_RANGE:
    case TDN_REMOVE_RANGE: break;
    case TDN_PUT_NUMBERED:
      if (change.expectation == TDN_EXPECT_TOKEN || change.expectation == TDN_EXPECT_PRESENT) {
        invalid("a key with the commit's number expects a record", index);
      }
      break;
    case TDN_DROP:
    case TDN_ADOPT:
      if (change.expectation != TDN_EXPECT_ANY) invalid("a change of a whole keyspace expects something", index);
      break;
    default: invalid("a change has an unknown kind", index);
  }
}

void Batch::checkKey(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (run.keyspace->hasRows()) {
    // The last row id is not used, so that there is always a next one.
    if (change.key_length != 0 || change.key == 0 || change.key == UINT64_MAX) invalid("a row id is invalid", index);
    return;
  }
  if (change.key_length == 0) invalid("a key is empty", index);
  if (!isWithinBytes(change.key, change.key_length)) invalid("a key lies outside of the batch's bytes", index);
  if (change.key_length > kMaximumKeyLength) {
    throw Failure(TDN_LIMIT, "a key is longer than 1,000 bytes: store a prefix and a digest of it instead");
  }
}

void Batch::checkRange(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (!run.keyspace->isTree()) invalid("a range is checked of a keyspace without order", index);
  if (!isWithinBytes(change.key, change.key_length) || !isWithinBytes(change.value, change.value_length)) {
    invalid("a bound lies outside of the batch's bytes", index);
  }
  if (change.key_length > kMaximumKeyLength || change.value_length > kMaximumKeyLength) {
    throw Failure(TDN_LIMIT, "a bound is longer than 1,000 bytes, as no key is");
  }
}

// Checks that removed ranges do not overlap, and that no key within one is changed.
void Batch::checkRemovedRanges(const BatchRun &run) const {
  const auto upper = [&](size_t range) { return std::string_view(value(change(range)), change(range).value_length); };
  const auto isBeyond = [&](std::string_view key, size_t range) { return !upper(range).empty() && key >= upper(range); };
  size_t range = run.first;
  while (change(range).kind != TDN_REMOVE_RANGE) range++;
  size_t index = range + 1;
  for (; index < run.end && change(index).kind == TDN_REMOVE_RANGE; index++) {
    if (!isBeyond(key(change(index)), index - 1)) invalid("removed ranges overlap", index);
  }
  const size_t rangesEnd = index;
  for (; index < run.end && rank(change(index)) == kKeyRank; index++) {
    while (range < rangesEnd && isBeyond(key(change(index)), range)) range++;
    if (range == rangesEnd) return;
    if (key(change(index)) >= key(change(range))) invalid("a key within a removed range is changed", index);
  }
}

void Batch::checkNumbered(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  if (!run.keyspace->isTree()) invalid("a key with the commit's number is put into a keyspace without order", index);
  if (!isWithinBytes(change.key, change.key_length)) invalid("a key lies outside of the batch's bytes", index);
  if (change.key_length > kMaximumKeyLength - kCommitNumberLength) {
    throw Failure(TDN_LIMIT, "a key with the commit's number is longer than 1,000 bytes");
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
  if (rank(before) != rank(after)) {
    isOrdered = rank(before) < rank(after);
  } else if (run.keyspace->hasRows()) {
    isOrdered = before.key < after.key;
  } else {
    isOrdered = after.kind == TDN_CHECK_RANGE ? key(before) <= key(after) : key(before) < key(after);
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
