#include "BatchCommit.h"

#include "KeyspaceLoader.h"

namespace todana {

// Calls `body`, and adds the keyspace to the failure that it throws, if any.
template <class Body> void BatchCommit::onKeyspace(const Keyspace &keyspace, Body body) {
  try {
    body();
  } catch (Failure &failure) {
    if (failure.keyspace == 0) failure.keyspace = keyspace.id;
    throw;
  }
}

void BatchCommit::apply() {
  commit_.begin();
  check();
  if (!expectations_.hold()) throw Conflict();
  // An adopted keyspace may have the name of a dropped one.
  dropKeyspaces();
  writeRecords();
  adoptKeyspaces();
  commit_.finish();
}

void BatchCommit::check() {
  for (BatchRun &run : batch_.runs()) {
    if (run.isDropped || run.isAdopted) continue;
    writers_.push_back(KeyspaceWriter::make(commit_, batch_, expectations_, run));
    onKeyspace(*run.keyspace, [&] { writers_.back()->check(); });
  }
}

void BatchCommit::dropKeyspaces() {
  for (BatchRun &run : batch_.runs()) {
    if (run.isDropped) onKeyspace(*run.keyspace, [&] { commit_.dropKeyspace(*run.keyspace); });
  }
}

void BatchCommit::writeRecords() {
  for (const std::unique_ptr<KeyspaceWriter> &writer : writers_) {
    if (!writer->hasChanges()) continue;
    Keyspace &keyspace = writer->keyspace();
    onKeyspace(keyspace, [&] {
      if (writer->write()) needy_.push_back(&keyspace);
    });
  }
}

void BatchCommit::adoptKeyspaces() {
  for (BatchRun &run : batch_.runs()) {
    if (!run.isAdopted) continue;
    onKeyspace(*run.keyspace, [&] { commit_.state().table.loader(run.keyspace->id)->adopt(commit_); });
  }
}

}  // namespace todana
