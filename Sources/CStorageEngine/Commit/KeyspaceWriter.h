// The application of one batch to one keyspace. First the expectations are checked, then the records are changed.
#pragma once

#include <memory>

#include "Commit.h"
#include "Expectations.h"

namespace todana {

// The writer of one run, with a subclass for each kind of keyspace. BatchCommit makes and uses it inside
// FileGroup::commit's `apply`, where readers and other commits are excluded. One thread.
class KeyspaceWriter {
 public:
  static std::unique_ptr<KeyspaceWriter> make(Commit &commit, Batch &batch, Expectations &expectations, BatchRun &run);
  KeyspaceWriter(Commit &commit, Batch &batch, Expectations &expectations, BatchRun &run)
      : commit_(commit), batch_(batch), expectations_(expectations), run_(run) {}
  virtual ~KeyspaceWriter() = default;
  KeyspaceWriter(const KeyspaceWriter &) = delete;
  KeyspaceWriter &operator=(const KeyspaceWriter &) = delete;

  // Checks the expectation of every change.
  void check();
  // Changes the records after all expectations were met. Returns whether the file needs a check by Maintenance.
  bool write();

  Keyspace &keyspace() const { return *run_.keyspace; }
  // Tests whether the run has changes other than checks.
  bool hasChanges() const { return run_.hasChanges; }

 protected:
  using Readers = std::vector<Commit::Reader>;

  // -- For each kind of keyspace
  // Checks the changes against a file that has records.
  virtual void checkChanges(const HashFile &file) = 0;
  // Converts the changes to the form that `writeChanges` takes. Returns false if nothing is left to change.
  virtual bool prepare() { return true; }
  // Returns the number of records of a hash file that the changes put.
  virtual uint64_t putRecordCount() const { return run_.putCount; }
  // Changes the file. `nextRow`: the next row id of the keyspace's previous file.
  virtual void writeChanges(const HashFile &file, const Readers &readers, uint64_t nextRow) = 0;

  // -- For use by subclasses
  const KeyRing *ring() const { return commit_.state().ring.get(); }
  // Returns the keyspace's digest object for noting the terms of changes. Clears it first, as well as the digest object
  // of a rekeying.
  KeyspaceDigest &emptyDigest();
  // Sets the keyspace's number of records, and adds the noted changes to its digest.
  void setContents(uint64_t count, const KeyspaceDigest::Sum &sum);

  Commit &commit_;
  Batch &batch_;
  Expectations &expectations_;
  BatchRun &run_;

 private:
  std::shared_ptr<const HashFile> fileFor(std::shared_ptr<const HashFile> current);
  std::shared_ptr<const HashFile> emptyFile();
  std::shared_ptr<const HashFile> largerFile(std::shared_ptr<const HashFile> current);
  std::shared_ptr<const HashFile> copy(const HashFile &from, uint64_t recordCount);
};

}  // namespace todana
