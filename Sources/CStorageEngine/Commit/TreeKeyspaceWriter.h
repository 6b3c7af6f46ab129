// Writes a keyspace whose records have byte keys in order: a tree, such as an index.
#pragma once

#include "KeyspaceWriter.h"

namespace todana {

class TreeKeyspaceWriter : public KeyspaceWriter {
 public:
  using KeyspaceWriter::KeyspaceWriter;

 private:
  void checkChanges(const HashFile &file) override;
  void writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) override;
};

}  // namespace todana
