// The writer of a keyspace of rows.
#pragma once

#include "../Kyoto/RowFinder.h"
#include "HashKeyspaceWriter.h"

namespace todana {

// The writer that KeyspaceWriter::make makes for TDN_KEYSPACE_ROWS. One thread, inside `apply`.
class RowKeyspaceWriter : public HashKeyspaceWriter {
 public:
  using HashKeyspaceWriter::HashKeyspaceWriter;

 private:
  void checkChanges(const HashFile &file) override;
  static bool findRow(
    RowFinder &finder, size_t member, const tdn_change &change, const HashFile &file, std::string_view &value);
  void toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const override;
  uint64_t putRecordCount() const override;
  void writeRecords(RecordsChange &records, uint64_t nextRow) override;
  uint64_t nextRowAfter(uint64_t nextRow) override;
};

}  // namespace todana
