#include "TreeKeyspaceWriter.h"

#include "../Kyoto/TreeWriter.h"

namespace todana {

void TreeKeyspaceWriter::checkChanges(const HashFile &file) {
  std::optional<TreeFinder> finder;
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    // There is no expectation. The old value is found when the record is replaced or removed.
    if (change.kind != TDN_REMOVE && change.expectation == TDN_EXPECT_ANY) continue;
    if (change.kind == TDN_CHECK_RANGE || change.kind == TDN_REMOVE_RANGE) {
      const uint64_t count = countKeys(file, batch_.key(change), upperBound(change), change.expected);
      const bool isRemoved = change.kind == TDN_REMOVE_RANGE;
      if (isRemoved ? count != change.expected : count > change.expected) expectations_.fail(index);
      continue;
    }
    if (!finder) finder.emplace(file);
    std::string numbered;
    std::string_view key = batch_.key(change), value;
    if (change.kind == TDN_PUT_NUMBERED) key = numbered = batch_.numberedKey(change, commitNumber());
    const bool exists = finder->find(key, value);
    expectations_.checkEntry(index, exists, value);
  }
}

std::string_view TreeKeyspaceWriter::upperBound(const tdn_change &change) const {
  return {batch_.value(change), change.value_length};
}

// Counts the keys from `lower` on and before `upper`, up to `most` and one more. An empty bound leaves its side open.
uint64_t TreeKeyspaceWriter::countKeys(
  const HashFile &file, std::string_view lower, std::string_view upper, uint64_t most) {
  const TreeReader tree(file);
  TreeReader::LeafCursor leaf;
  uint64_t count = 0;
  int64_t leavesRead = 0;
  for (int64_t id = lower.empty() ? tree.firstLeaf() : tree.leafFor(lower); id > 0; id = leaf.next()) {
    if (leavesRead++ > tree.leafCount()) file.damaged("the leaves of the tree form a circle", 0);
    for (tree.readLeaf(id, leaf); leaf.record(); leaf.advance()) {
      const std::string_view key = leaf.record()->key;
      if (!upper.empty() && !TreeReader::isLess(key, upper)) return count;
      // The keys are in order: if one is not below the bound, neither are those after it.
      if (count == 0 && TreeReader::isLess(key, lower)) continue;
      if (++count > most) return count;
    }
  }
  return count;
}

bool TreeKeyspaceWriter::prepare() {
  if (run_.isNumbered) batch_.numberKeys(run_, commitNumber());
  return true;
}

void TreeKeyspaceWriter::writeChanges(const HashFile &file, const Readers &readers, uint64_t) {
  Keyspace &keyspace = this->keyspace();
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace.pool);
  TreeWriter tree(file, writer, keyspace.journal ? &keyspace.journal->keys : nullptr);
  KeyspaceDigest &digest = emptyDigest();
  uint64_t count = keyspace.contents.count;
  bool isChanged = run_.isCleared;
  const auto toggle = [&](std::string_view key, std::string_view value) {
    digest.toggleEntry(key, value);
    if (keyspace.rekeyed) keyspace.rekeyed->digest.toggleEntry(key, value);
    isChanged = true;
  };
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.kind == TDN_CHECK || change.kind == TDN_CHECK_RANGE || change.kind == TDN_CLEAR) continue;
    const auto keep = [&](std::string_view key, const char *value, size_t length) {
      for (const Commit::Reader &reader : readers) reader.snapshot->keepInOrder(*reader.part, key, value, length);
      if (!value) return;
      toggle(key, {value, length});
      count--;
    };
    const std::string_view key = batch_.key(change);
    if (change.kind == TDN_REMOVE_RANGE) {
      tree.removeRange(key, upperBound(change), [&](std::string_view key, std::string_view value) {
        keep(key, value.data(), value.size());
      });
      continue;
    }
    const TreeWriter::OldValue old = [&](const char *value, size_t length) { keep(key, value, length); };
    if (change.kind != TDN_PUT) {
      tree.remove(key, old);
    } else {
      const std::string_view value(batch_.value(change), change.value_length);
      tree.put(key, value, old);
      toggle(key, value);
      count++;
    }
  }
  // If the batch only erases keys that do not exist, nothing is written.
  if (isChanged) {
    setContents(count, digest.take());
    tree.finish();
  }
  if (keyspace.journal) keyspace.journal->thinKeys();
  writer.end(0);
}

}  // namespace todana
