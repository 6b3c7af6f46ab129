#include "HashKeyspaceWriter.h"

#include "../Keyspaces/PlainRecord.h"

namespace todana {

bool HashKeyspaceWriter::prepare() {
  if (ring()) convertRecords();
  batch_.simplify(run_, expectations_.oldTokens());
  // Of the records to be erased none may be there.
  return run_.isCleared || run_.first < run_.end;
}

// Converts records whose form is not that of the keyspace. Callers seal records before the commit starts: since then the
// keys may have been rotated, or the keyspace encrypted or decrypted.
void HashKeyspaceWriter::convertRecords() {
  const uint32_t generation = keyspace().contents.generation;
  std::optional<RecordConversion> conversion;
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.kind != TDN_PUT) continue;
    const std::string_view value(batch_.value(change), change.value_length);
    // Bytes that are no record are refused by their readers.
    if (RecordConversion::hasForm(value, generation) || !RecordConversion::isRecord(value)) continue;
    if (!conversion) conversion.emplace(commit_.state().ring, generation);
    try {
      batch_.replaceValue(index, convert(*conversion, change, value));
    } catch (const Failure &failure) {
      // So are bytes that only look like a record.
      if (failure.code != TDN_DAMAGED && failure.code != TDN_UNKNOWN_EPOCH) throw;
    }
  }
}

void HashKeyspaceWriter::writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) {
  HashWriter &writer = commit_.state().writer;
  writer.begin(file, keyspace().pool);
  RecordsChange records(writer, file, keyspace(), readers);
  writeRecords(records, nextRow);
  writer.end(nextRowAfter(nextRow));

  ContentsDigest &digest = emptyDigest();
  const uint64_t count = keyspace().contents.count + static_cast<uint64_t>(note(digest));
  if (keyspace().rekeyed) note(keyspace().rekeyed->digest);
  setContents(count, digest.take());
}

// Notes all changes in a digest. Every expectation holds, so the record that a change replaces is the expected one, or the
// one that was found. Returns by how much the number of records changes.
int64_t HashKeyspaceWriter::note(ContentsDigest &digest) const {
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
