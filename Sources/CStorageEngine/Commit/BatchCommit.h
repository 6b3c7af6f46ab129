// Applies a caller's batch: first every expectation is checked, then everything is changed.
#pragma once

#include "RowsChange.h"

namespace todana {

// Thrown out of `apply` where records are not what the batch expects. Nothing has been changed then.
struct Conflict {};

class BatchCommit {
 public:
  BatchCommit(CommitState &state, Batch &batch) : commit_(state), batch_(batch) {}

  void apply();
  void undo() { commit_.undo(); }

  const std::vector<uint64_t> &conflicts() const { return conflicts_; }
  // Keyspaces whose files should be looked at (Maintenance.h).
  const std::vector<Keyspace *> &needy() const { return needy_; }

 private:
  using Readers = std::vector<Commit::Reader>;

  // -- Checking
  void check(const BatchRun &run);
  void checkRows(const BatchRun &run, const HashFile &file);
  static bool findRow(
    RowFinder &finder, size_t member, const tdn_change &change, const HashFile &file, std::string_view &value);
  void checkKeys(const BatchRun &run, const HashFile &file);
  void checkTree(const BatchRun &run, const HashFile &file);
  void checkOne(size_t index, bool exists, std::string_view value);

  // -- Changing
  void convert(const BatchRun &run);
  void change(BatchRun &run);
  std::shared_ptr<const HashFile> clear(const BatchRun &run);
  std::shared_ptr<const HashFile> fileFor(const BatchRun &run, std::shared_ptr<const HashFile> current);
  std::shared_ptr<const HashFile> copy(Keyspace &keyspace, const HashFile &from, uint64_t recordCount);
  void changeHash(const BatchRun &run, const HashFile &file, const Readers &readers, uint64_t nextRow);
  void changeKeys(const BatchRun &run, RecordsChange &records);
  void changeTree(const BatchRun &run, const HashFile &file, const Readers &readers);

  // -- What keyspaces contain
  const KeyRing *ring() const { return commit_.state().ring.get(); }
  ContentsDigest &digest(Keyspace &keyspace);
  template <class Toggle> int64_t toggleEach(const BatchRun &run, Toggle toggle);
  void noteContents(const BatchRun &run);
  void setContents(Keyspace &keyspace, uint64_t count, const ContentsDigest::Sum &sum);

  Commit commit_;
  Batch &batch_;
  std::vector<uint64_t> conflicts_;
  Batch::OldTokens oldTokens_;
  std::vector<Keyspace *> needy_;
};

}  // namespace todana
