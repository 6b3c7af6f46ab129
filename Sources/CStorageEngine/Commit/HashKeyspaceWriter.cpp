#include "HashKeyspaceWriter.h"

#include "../Keyspaces/PlainRecord.h"
#include "BatchConversion.h"

namespace todana {

bool HashKeyspaceWriter::prepare() {
  if (ring()) convertRecords(batch_, run_, keyspace(), commit_.state().ring, keyspace().contents.keyGeneration);
  batch_.simplify(run_, expectations_.oldTokens());
  // Nothing is left if the batch only erases records that do not exist.
  return run_.isCleared || run_.first < run_.end;
}

void HashKeyspaceWriter::writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) {
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace().pool);
  RecordsChange records(writer, file, keyspace(), readers);
  writeRecords(records, nextRow);
  writer.end(nextRowAfter(nextRow));

  KeyspaceDigest &digest = emptyDigest();
  const uint64_t count = keyspace().contents.count + static_cast<uint64_t>(note(digest));
  if (keyspace().rekeyed) note(keyspace().rekeyed->digest);
  setContents(count, digest.take());
}

// Notes all changes in a digest. Every expectation is met, so a replaced record has the expected token, or the one that
// was found. Returns the difference that the changes make to the number of records.
int64_t HashKeyspaceWriter::note(KeyspaceDigest &digest) const {
  const Batch::OldTokens &oldTokens = expectations_.oldTokens();
  int64_t difference = 0;
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.expectation == TDN_EXPECT_TOKEN) {
      toggle(digest, change, change.expected);
      difference--;
    } else if (change.expectation == TDN_EXPECT_ANY || change.expectation == TDN_EXPECT_PRESENT) {
      if (const auto old = oldTokens.find(index); old != oldTokens.end()) {
        toggle(digest, change, old->second);
        difference--;
      }
    }
    if (change.kind == TDN_PUT) {
      toggle(digest, change, recordToken(batch_.value(change), change.value_length));
      difference++;
    }
  }
  return difference;
}

}  // namespace todana
