#include "RowKeyspaceWriter.h"

#include "../Kyoto/HashRecovery.h"
#include "RowsChange.h"

namespace todana {

void RowKeyspaceWriter::checkChanges(const HashFile &file) {
  // The file has no rows with this or a higher id: none was reserved when the file last changed.
  const uint64_t firstNewRow = file.nextRow();
  RowFinder finder(file);
  size_t members[kHashGroupSize], memberCount = 0;
  auto checkGroup = [&] {
    finder.fetch(memberCount);
    for (size_t member = 0; member < memberCount; member++) {
      std::string_view value;
      const bool exists = findRow(finder, member, batch_.change(members[member]), file, value);
      expectations_.check(members[member], exists, value);
    }
    memberCount = 0;
  };
  for (size_t index = run_.first; index < run_.end; index++) {
    const tdn_change &change = batch_.change(index);
    if (change.key >= firstNewRow) {
      expectations_.check(index, false, {});
      continue;
    }
    finder.add(memberCount, change.key);
    members[memberCount++] = index;
    if (memberCount == kHashGroupSize) checkGroup();
  }
  checkGroup();
}

// Finds a row. A change that only checks reads a row of a damaged page like other reads, because it changes nothing.
// Every other change needs a sound page, or one that is accepted as it is.
bool RowKeyspaceWriter::findRow(
  RowFinder &finder, size_t member, const tdn_change &change, const HashFile &file, std::string_view &value) {
  try {
    return finder.find(member, change.key, value);
  } catch (Failure &failure) {
    if (failure.code != TDN_DAMAGED) throw;
    failure.hasRow = true;
    failure.row = change.key;
    if (change.kind != TDN_CHECK) throw;
    HashRecovery &recovery = file.recovery();
    HashRecovery::Outcome outcome = recovery.findPackedRow(change.key, file.end(), value);
    if (outcome == HashRecovery::Outcome::absent) outcome = recovery.findRow(change.key, file.end(), value);
    if (outcome == HashRecovery::Outcome::damaged) throw;
    return outcome == HashRecovery::Outcome::found;
  }
}

void RowKeyspaceWriter::toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const {
  digest.toggleRow(change.key, token);
}

uint64_t RowKeyspaceWriter::putRecordCount() const { return RowsChange::recordCount(batch_, run_.first, run_.end); }

void RowKeyspaceWriter::writeRecords(RecordsChange &records, uint64_t nextRow) {
  RowsChange(records, batch_, nextRow).change(run_);
}

uint64_t RowKeyspaceWriter::nextRowAfter(uint64_t nextRow) {
  // The put rows were reserved, by this session or an earlier one.
  const uint64_t after = run_.lastRow + 1;
  uint64_t known = keyspace().nextRow;
  while (known != 0 && known < after && !keyspace().nextRow.compare_exchange_weak(known, after)) {
  }
  return std::max({nextRow, keyspace().nextRow.load(), after});
}

}  // namespace todana
