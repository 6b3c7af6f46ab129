// The source of a rebuild for byte keys and tree nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "RebuildSource.h"

namespace todana {

// The copying of records with byte keys, and of tree nodes, in the order of the old file. RebuildSource::make makes it.
// Locks: see RebuildSource.
class KeyRebuildSource : public RebuildSource {
 public:
  KeyRebuildSource(std::shared_ptr<const HashFile> from, const Keyspace &keyspace, RecordConversion *conversion);

  uint64_t recordCount() const override { return recordCount_; }
  uint64_t byteCount() const override { return byteCount_; }
  uint64_t taken() const override;

  // Takes records. A record that a commit moves between two steps is in the journal, so it is taken again with the
  // changes.
  bool take() override;
  void write(const HashFile &target, HashWriter &writer) override;

 private:
  struct Taken {
    size_t position;
    size_t keyLength;
    size_t valueLength;
    bool exists;
  };

  void note(const HashBlock &record) override;
  size_t keep(RebuildJournal changes) override;
  void takeChange(size_t index) override;
  void put(std::string_view key, std::string_view value, const HashFile &target, HashWriter &writer);
  void take(const HashBlock &block);

  uint64_t recordCount_ = 0;
  uint64_t byteCount_ = 0;
  int64_t next_;
  RebuildJournal changed_;
  std::vector<Taken> records_;
  std::string openedNode_, sealedNode_;
};

}  // namespace todana
