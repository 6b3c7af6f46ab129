// Writes a keyspace whose records have byte keys in no order: the named buffers.
#pragma once

#include "HashKeyspaceWriter.h"

namespace todana {

class NameKeyspaceWriter : public HashKeyspaceWriter {
 public:
  using HashKeyspaceWriter::HashKeyspaceWriter;

 private:
  std::string_view name(const tdn_change &change) const { return {batch_.bytes(change.key), change.key_length}; }
  void checkChanges(const HashFile &file) override;
  void toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const override;
  void writeRecords(RecordsChange &records, uint64_t nextRow) override;
};

}  // namespace todana
