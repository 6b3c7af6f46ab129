// The writer of a keyspace without order, whose records are in a hash file, in envelopes.
#pragma once

#include "KeyspaceWriter.h"
#include "RecordsChange.h"

namespace todana {

// The part common to rows and names. KeyspaceWriter calls it. One thread, inside `apply`.
class HashKeyspaceWriter : public KeyspaceWriter {
 public:
  using KeyspaceWriter::KeyspaceWriter;

 protected:
  // -- For each kind of key
  // Notes the change of a record with this token in a digest.
  virtual void toggle(KeyspaceDigest &digest, const tdn_change &change, uint64_t token) const = 0;
  virtual void writeRecords(RecordsChange &records, uint64_t nextRow) = 0;
  // Returns the next row that the file is to note.
  virtual uint64_t nextRowAfter(uint64_t nextRow) { return nextRow; }

 private:
  bool prepare() final;
  void writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) final;
  int64_t note(KeyspaceDigest &digest) const;
};

}  // namespace todana
