// The changes of a keyspace's rows: each in a record of its own, or many neighbours in a pack.
//
// Many rows of one pack in one batch are written as a pack, with those that it has already. Few are written by
// themselves, because a pack costs a commit as much log as all of its rows: a row that fits into its slot stays where
// it is, any other leaves its pack for a record of its own. So bulk loads pack; what grows often does not stay packed.
#pragma once

#include "../Kyoto/RowFinder.h"
#include "../Kyoto/RowPackBuilder.h"
#include "../include/StorageEngineCommit.h"
#include "RecordsChange.h"

namespace todana {

// The changes of one run. RowKeyspaceWriter and KeyspaceLoader make one. One thread, with its RecordsChange.
class RowsChange {
 public:
  // `firstNewRow`: there are no rows from here on.
  RowsChange(RecordsChange &records, const Batch &batch, uint64_t firstNewRow);

  void change(const BatchRun &run);

  // Returns the records that a run of rows would make in an empty file.
  static uint64_t recordCount(const Batch &batch, size_t first, size_t end);

 private:
  // Changes of one pack's rows.
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
