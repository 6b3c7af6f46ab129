#include "Batch.h"

#include <unordered_set>

namespace todana {

Batch::Batch(const tdn_batch &batch, FileTable &table) : batch_(batch), changes_(batch.changes) {
  std::unordered_set<uint32_t> seen;
  for (size_t index = 0; index < batch.change_count;) {
    uint32_t id = change(index).structure;
    if (!seen.insert(id).second) invalid("changes of one structure must stand together", index);
    BatchRun run{&table.structure(id), index, index, 0, 0};
    for (; run.end < batch.change_count && change(run.end).structure == id; run.end++) {
      checkChange(run, run.end);
      if (run.end > run.first) checkOrder(run, run.end);
      const tdn_change &change = this->change(run.end);
      if (change.kind == TDN_PUT) {
        run.putCount++;
        if (run.structure->hasRows()) run.lastRow = change.key;  // they are in order
      }
    }
    runs_.push_back(run);
    index = run.end;
  }
}

void Batch::replaceValue(size_t index, std::string value) {
  if (ownChanges_.empty()) {
    ownChanges_.assign(batch_.changes, batch_.changes + batch_.change_count);
    changes_ = ownChanges_.data();
  }
  ownChanges_[index].value = kReplaced | replaced_.size();
  ownChanges_[index].value_length = value.size();
  replaced_.push_back(std::move(value));
}

void Batch::checkChange(const BatchRun &run, size_t index) const {
  const tdn_change &change = this->change(index);
  auto isWithinBytes = [&](uint64_t offset, uint64_t length) {
    return length <= batch_.byte_count && offset <= batch_.byte_count - length;
  };
  bool isPut = change.kind == TDN_PUT;
  if (!isPut && change.kind != TDN_REMOVE) invalid("a change is neither a put nor a removal", index);
  if (change.expectation > TDN_EXPECT_TOKEN) invalid("a change has an unknown expectation", index);
  if (!isPut && change.expectation == TDN_EXPECT_ABSENT) invalid("a removal expects that there is no record", index);
  if (run.structure->hasRows()) {
    // The last row id is kept free, so that there is always a next one.
    if (change.key_length != 0 || change.key == 0 || change.key == UINT64_MAX) invalid("a row id is impossible", index);
  } else {
    if (change.key_length == 0) invalid("a key is empty", index);
    if (!isWithinBytes(change.key, change.key_length)) invalid("a key lies outside of the batch's bytes", index);
    if (change.key_length > kMaximumKeyLength) {
      throw Failure(TDN_LIMIT, "a key is longer than 1,024 bytes: store a prefix and a digest of it instead");
    }
  }
  if (isPut) {
    if (!isWithinBytes(change.value, change.value_length)) invalid("a value lies outside of the batch's bytes", index);
    if (change.value_length > kMaximumValueLength) {
      Failure failure(TDN_LIMIT, "a record is larger than 1 GiB: divide it into several records");
      failure.structure = change.structure;
      failure.hasRow = run.structure->hasRows();
      failure.row = change.key;
      throw failure;
    }
  }
}

void Batch::checkOrder(const BatchRun &run, size_t index) const {
  const tdn_change &before = change(index - 1), &after = change(index);
  bool isOrdered;
  if (run.structure->hasRows()) {
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
  failure.structure = change(index).structure;
  throw failure;
}

}  // namespace todana
