#include "TreeKeyspaceWriter.h"

#include "../Kyoto/TreeWriter.h"

namespace todana {

void TreeKeyspaceWriter::checkChanges(const HashFile &file) {
  std::optional<TreeFinder> finder;
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    // Nothing is expected; the old value is found when it is replaced or removed.
    if (change.kind != TDN_REMOVE && change.expectation == TDN_EXPECT_ANY) continue;
    if (!finder) finder.emplace(file);
    std::string_view value;
    const bool exists = finder->find({batch_.bytes(change.key), change.key_length}, value);
    expectations_.check(index, exists, value);
  }
}

void TreeKeyspaceWriter::writeChanges(const HashFile &file, const Readers &readers, uint64_t) {
  Keyspace &keyspace = this->keyspace();
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace.pool);
  TreeWriter tree(file, writer, keyspace.journal ? &keyspace.journal->keys : nullptr);
  ContentsDigest &digest = emptyDigest();
  uint64_t count = keyspace.contents.count;
  bool isChanged = run_.isCleared;
  const auto toggle = [&](std::string_view key, std::string_view value) {
    digest.toggleEntry(key, value);
    if (keyspace.rekeyed) keyspace.rekeyed->digest.toggleEntry(key, value);
    isChanged = true;
  };
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.kind == TDN_CHECK || change.kind == TDN_CLEAR) continue;
    const std::string_view key(batch_.bytes(change.key), change.key_length);
    const TreeWriter::OldValue old = [&](const char *value, size_t length) {
      for (const Commit::Reader &reader : readers) reader.snapshot->keepInOrder(*reader.part, key, value, length);
      if (!value) return;
      toggle(key, {value, length});
      count--;
    };
    if (change.kind != TDN_PUT) {
      tree.remove(key, old);
    } else {
      const std::string_view value(batch_.value(change), change.value_length);
      tree.put(key, value, old);
      toggle(key, value);
      count++;
    }
  }
  // Of the keys to be erased none may be there: then nothing is written.
  if (isChanged) {
    setContents(count, digest.take());
    tree.finish();
  }
  if (keyspace.journal) keyspace.journal->thinKeys();
  writer.end(0);
}

}  // namespace todana
