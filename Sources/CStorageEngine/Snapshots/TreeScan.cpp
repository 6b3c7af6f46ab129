#include "TreeScan.h"

#include <algorithm>

#include "../Disk/Failure.h"
#include "StepLimit.h"

namespace todana {

// A cursor over the records of the tree in the scan's direction, from the last key on. In ascending order it reads a
// leaf record by record; in descending order it first reads the whole leaf.
class TreeScan::Cursor {
 public:
  Cursor(const TreeReader &tree, const TreeScan &scan)
      : tree_(tree), scan_(scan), isDescending_(scan.range_.isDescending) {
    const auto &from = scan.last_ ? scan.last_ : isDescending_ ? scan.range_.upper : scan.range_.lower;
    load(from ? tree.leafFor(*from) : isDescending_ ? tree.lastLeaf() : tree.firstLeaf());
    // Skip the records of the first leaf that the scan has already passed.
    while (record_ && scan.isBehind(record_->key)) advance();
    skipChanged();
  }

  const TreeReader::Record *record() const { return record_; }
  void next() {
    advance();
    skipChanged();
  }

 private:
  void skipChanged() {
    const auto &changed = scan_.part_.changedInOrder;
    if (changed.empty()) return;
    while (record_ && changed.find(record_->key) != changed.end()) advance();
  }

  void advance() {
    if (isDescending_ ? index_ + 1 < all_.records.size() : !leaf_.isLast()) {
      if (isDescending_) {
        index_++;
      } else {
        leaf_.advance();
      }
      select();
      return;
    }
    // In a damaged file the chain of leaves may be a cycle: then keys are out of order, or no record comes.
    const std::string previousKey(record_->key);
    const int64_t next = isDescending_ ? all_.previous : leaf_.next();
    record_ = nullptr;
    if (next > 0) load(next);
    if (record_ && (isDescending_ ? record_->key >= previousKey : record_->key <= previousKey)) {
      scan_.part_.file->damaged("the leaves of the tree are not in order", 0);
    }
  }

  void load(int64_t id) {
    record_ = nullptr;
    while (id > 0 && !record_) {
      if (++loadCount_ > tree_.leafCount() + 1) scan_.part_.file->damaged("the leaves of the tree form a circle", 0);
      if (isDescending_) {
        tree_.readLeaf(id, all_);
        index_ = 0;
        id = all_.previous;
      } else {
        tree_.readLeaf(id, leaf_);
        id = leaf_.next();
      }
      select();
    }
  }

  void select() {
    if (!isDescending_) {
      record_ = leaf_.record();
    } else {
      record_ = index_ < all_.records.size() ? &all_.records[all_.records.size() - 1 - index_] : nullptr;
    }
  }

  const TreeReader &tree_;
  const TreeScan &scan_;
  const bool isDescending_;
  TreeReader::LeafCursor leaf_;  // ascending
  TreeReader::Leaf all_;         // descending
  size_t index_ = 0;             // counted from the end of `all_`
  int64_t loadCount_ = 0;
  const TreeReader::Record *record_ = nullptr;
};

bool TreeScan::step(ChunkWriter &chunk) {
  if (isAtEnd_ || !part_.file) return false;
  try {
    return readOn(chunk);
  } catch (const Failure &failure) {
    // A scan cannot pass a damaged node, so it is at its end if the caller continues.
    if (failure.code == TDN_DAMAGED) isAtEnd_ = true;
    throw;
  }
}

bool TreeScan::readOn(ChunkWriter &chunk) {
  TreeReader tree(*part_.file);
  Cursor cursor(tree, *this);
  const OldRecords::value_type *old = firstOld();
  StepLimit limit;
  const size_t start = chunk.byteCount();
  // The last key added, from which the next step continues. It is a view of the chunk.
  std::string_view last;
  bool isFull = false;
  for (;;) {
    const TreeReader::Record *record = cursor.record();
    if (record && !isWithin(record->key)) record = nullptr;
    if (!record && !old) {
      isAtEnd_ = true;
      return false;
    }
    const bool takesOld =
      !record || (old && (range_.isDescending ? old->first > record->key : old->first < record->key));
    const std::string_view key = takesOld ? std::string_view(old->first) : record->key;
    const size_t length = takesOld ? old->second.length : record->value.size();
    char *value = chunk.add(0, key, length, TDN_FOUND);
    if (!value) {
      isFull = true;
      break;
    }
    last = {value - key.size(), key.size()};
    if (takesOld) {
      snapshot_.readOldValue(old->second, value);
      old = oldAfter(part_.changedInOrder.find(old->first));
    } else {
      if (length > 0) std::memcpy(value, record->value.data(), length);
      cursor.next();
    }
    if (limit.isReached(chunk.byteCount() - start)) break;
  }
  if (last.data()) last_ = std::string(last);
  return !isFull;
}

bool TreeScan::isBehind(std::string_view key) const {
  if (last_) return range_.isDescending ? !TreeReader::isLess(key, *last_) : !TreeReader::isLess(*last_, key);
  if (range_.isDescending) return range_.upper && !TreeReader::isLess(key, *range_.upper);
  return range_.lower && TreeReader::isLess(key, *range_.lower);
}

bool TreeScan::isWithin(std::string_view key) const {
  if (range_.isDescending) return !range_.lower || !TreeReader::isLess(key, *range_.lower);
  return !range_.upper || TreeReader::isLess(key, *range_.upper);
}

const TreeScan::OldRecords::value_type *TreeScan::firstOld() const {
  const OldRecords &old = part_.changedInOrder;
  if (old.empty()) return nullptr;
  OldRecords::const_iterator position;
  if (range_.isDescending) {
    const auto &bound = last_ ? last_ : range_.upper;
    position = bound ? old.lower_bound(*bound) : old.end();
    if (position == old.begin()) return nullptr;
    --position;
  } else {
    position = last_ ? old.upper_bound(*last_) : range_.lower ? old.lower_bound(*range_.lower) : old.begin();
    if (position == old.end()) return nullptr;
  }
  if (position->second.exists()) return isWithin(position->first) ? &*position : nullptr;
  return oldAfter(position);
}

const TreeScan::OldRecords::value_type *TreeScan::oldAfter(OldRecords::const_iterator position) const {
  const OldRecords &old = part_.changedInOrder;
  do {
    if (range_.isDescending) {
      if (position == old.begin()) return nullptr;
      --position;
    } else if (++position == old.end()) {
      return nullptr;
    }
  } while (!position->second.exists());
  return isWithin(position->first) ? &*position : nullptr;
}

}  // namespace todana
