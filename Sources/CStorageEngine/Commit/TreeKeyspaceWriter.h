// The writer of a tree, whose records have byte keys in order, such as an index.
#pragma once

#include "KeyspaceWriter.h"

namespace todana {

// The writer that KeyspaceWriter::make makes for TDN_KEYSPACE_TREE. One thread, inside `apply`.
class TreeKeyspaceWriter : public KeyspaceWriter {
 public:
  using KeyspaceWriter::KeyspaceWriter;

 private:
  void checkChanges(const HashFile &file) override;
  std::string_view upperBound(const tdn_change &change) const;
  static uint64_t countKeys(const HashFile &file, std::string_view lower, std::string_view upper, uint64_t most);
  bool prepare() override;
  uint64_t commitNumber() const { return commit_.state().group.applying().commitNumber; }
  void writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) override;
};

}  // namespace todana
