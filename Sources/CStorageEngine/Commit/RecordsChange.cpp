#include "RecordsChange.h"

#include "../Kyoto/RowPack.h"

namespace todana {

void RecordsChange::put(
  std::string_view key, HashFile::Place place, const Found &found, std::string_view value) {
  if (found.exists) {
    willOverwrite(key, found.record);
  } else {
    noteChanged(key);
  }
  const int64_t end = writer_.fileEnd();
  writer_.put(
    key.data(), key.size(), place, found.exists ? &found.record : nullptr, found.chain, value.data(), value.size());
  if (found.exists) return;
  // An appended record is after the end of the file that the snapshot has noted, unless the file was cut since then.
  const bool isAppended = writer_.fileEnd() != end;
  for (const Commit::Reader &reader : readers_) {
    if (!isAppended || end < reader.part->end) reader.snapshot->keepAbsent(*reader.part, key);
  }
}

void RecordsChange::remove(std::string_view key, HashFile::Place place, const Found &found) {
  willOverwrite(key, found.record);
  file_.checkRemoval(found.record);
  writer_.remove(key.data(), key.size(), place);
}

void RecordsChange::willOverwrite(std::string_view key, const HashBlock &record) {
  for (const Commit::Reader &reader : readers_) reader.snapshot->keep(*reader.part, key, record);
  noteChanged(key);
}

void RecordsChange::noteChanged(std::string_view key) {
  RebuildJournal *journal = keyspace_.journal;
  if (!journal) return;
  if (!keyspace_.hasRows()) {
    journal->keys.emplace_back(key);
    return;
  }
  uint64_t number;
  if (!parsePackNumber(key.data(), key.size(), &number)) file_.damaged("a record has an invalid key", 0);
  journal->addPack(number);
}

}  // namespace todana
