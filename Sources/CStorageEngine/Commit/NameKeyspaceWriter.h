// The writer of a keyspace with unordered byte keys: the named buffers.
#pragma once

#include "HashKeyspaceWriter.h"

namespace todana {

// The writer that KeyspaceWriter::make makes for TDN_KEYSPACE_KEYS. One thread, inside `apply`.
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
