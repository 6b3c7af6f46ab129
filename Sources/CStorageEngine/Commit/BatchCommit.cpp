#include "BatchCommit.h"

namespace todana {

// Calls `body`; a failure names the keyspace.
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
  std::vector<std::unique_ptr<KeyspaceWriter>> writers;
  for (BatchRun &run : batch_.runs()) {
    writers.push_back(KeyspaceWriter::make(commit_, batch_, expectations_, run));
    onKeyspace(*run.keyspace, [&] { writers.back()->check(); });
  }
  if (!expectations_.hold()) throw Conflict();
  for (size_t index = 0; index < writers.size(); index++) {
    if (!batch_.runs()[index].hasChanges) continue;
    Keyspace &keyspace = writers[index]->keyspace();
    onKeyspace(keyspace, [&] {
      if (writers[index]->write()) needy_.push_back(&keyspace);
    });
  }
  commit_.finish();
}

}  // namespace todana
