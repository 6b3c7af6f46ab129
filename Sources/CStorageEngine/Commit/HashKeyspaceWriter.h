// The writer of an unordered keyspace, whose records are envelopes in a hash file.
#pragma once

#include "KeyspaceWriter.h"
#include "RecordsChange.h"

namespace todana {

// The common part of the writers for rows and names. KeyspaceWriter calls it. One thread, inside `apply`.
class HashKeyspaceWriter : public KeyspaceWriter {
 public:
  using KeyspaceWriter::KeyspaceWriter;

 protected:
  // -- For each kind of key
  // Toggles a record with this token in a digest, for a change of the record.
  virtual void toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const = 0;
  virtual void writeRecords(RecordsChange &records, uint64_t nextRow) = 0;
  // Returns the next row id to store in the file.
  virtual uint64_t nextRowAfter(uint64_t nextRow) { return nextRow; }

 private:
  bool prepare() final;
  void writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) final;
  int64_t note(KeyspaceDigest &digest) const;
};

}  // namespace todana
