// The changes of records in a hash file. They are also noted for open snapshots and for a running rebuild.
#pragma once

#include "Commit.h"

namespace todana {

// The changes of one run. HashKeyspaceWriter makes one inside `apply`; KeyspaceLoader makes one for its building file.
// The subclasses of HashKeyspaceWriter and RowsChange write through it. One thread.
class RecordsChange {
 public:
  RecordsChange(
    HashWriter &writer, const HashFile &file, Keyspace &keyspace, const std::vector<Commit::Reader> &readers)
      : writer_(writer), file_(file), keyspace_(keyspace), readers_(readers) {}

  HashWriter &writer() { return writer_; }
  const HashFile &file() const { return file_; }

  // The result of a search: the record, if it exists, and the end of the chain.
  struct Found {
    bool exists = false;
    HashBlock record;
    HashFile::ChainEnd chain;
  };
  Found find(std::string_view key, HashFile::Place place) const {
    Found found;
    found.exists = file_.find(key.data(), key.size(), place, found.record, &found.chain);
    return found;
  }

  void put(std::string_view key, HashFile::Place place, const Found &found, std::string_view value);
  void remove(std::string_view key, HashFile::Place place, const Found &found);
  // Notes a record for snapshots and a rebuild, before bytes of its value are overwritten.
  void willOverwrite(std::string_view key, const HashBlock &record);

 private:
  void noteChanged(std::string_view key);

  HashWriter &writer_;
  const HashFile &file_;
  Keyspace &keyspace_;
  const std::vector<Commit::Reader> &readers_;
};

}  // namespace todana
