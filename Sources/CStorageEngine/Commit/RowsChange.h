// The changes of a keyspace's rows, each of which has a record of its own or shares a pack with neighbours.
//
// If a batch changes many rows of one pack, the changed and unchanged rows are written together as a new pack. A few
// changed rows are written separately, because writing the pack again would log all of its rows. A row that fits into
// its slot stays there; any other row leaves its pack for a record of its own. Bulk loads are thus packed, and rows
// that often grow are not.
#pragma once

#include "../Kyoto/RowFinder.h"
#include "../Kyoto/RowPackBuilder.h"
#include "../include/StorageEngineCommit.h"
#include "RecordsChange.h"

namespace todana {

// The changes of one run. RowKeyspaceWriter and KeyspaceLoader make one. One thread, that of its RecordsChange.
class RowsChange {
 public:
  // `firstNewRow`: an id such that it and all higher ids have no rows.
  RowsChange(RecordsChange &records, const Batch &batch, uint64_t firstNewRow);

  void change(const BatchRun &run);

  // Returns the number of records that a run of rows would take in an empty file.
  static uint64_t recordCount(const Batch &batch, size_t first, size_t end);

 private:
  // The changes of the rows of one pack.
  struct Group {
    size_t first;
    size_t end;
    uint64_t number;
    HashFile::Place place;
    size_t size() const { return end - first; }
  };

  std::string_view value(const tdn_change &change) const { return {batch_.value(change), change.value_length}; }
  void changeGroup(const Group &group);
  bool changeAsPack(const Group &group, const RecordsChange::Found &found);
  void changeInPack(const Group &group, RecordsChange::Found &found, const tdn_change &change);
  void changeSingle(const tdn_change &change);

  RecordsChange &records_;
  const Batch &batch_;
  const uint64_t firstNewRow_;
  const bool hasPacks_;
  RowPackBuilder builder_;
};

}  // namespace todana
