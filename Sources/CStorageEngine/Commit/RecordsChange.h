// Puts and removes records of a hash file, and tells whoever has to know: open snapshots, and a rebuilding under way.
#pragma once

#include "Commit.h"

namespace todana {

class RecordsChange {
 public:
  RecordsChange(
    HashWriter &writer, const HashFile &file, Keyspace &keyspace, const std::vector<Commit::Reader> &readers)
      : writer_(writer), file_(file), keyspace_(keyspace), readers_(readers) {}

  HashWriter &writer() { return writer_; }
  const HashFile &file() const { return file_; }

  // Where a key's chain was walked to.
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
  // Before bytes of the record's value are overwritten.
  void willOverwrite(std::string_view key, const HashBlock &record);

 private:
  void noteChanged(std::string_view key);

  HashWriter &writer_;
  const HashFile &file_;
  Keyspace &keyspace_;
  const std::vector<Commit::Reader> &readers_;
};

}  // namespace todana
