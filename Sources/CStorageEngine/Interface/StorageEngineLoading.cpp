// The C functions of StorageEngineLoading.h.
#include "../include/StorageEngineLoading.h"

#include "CabinetHandle.h"
#include "ErrorBoundary.h"
#include "KeyspaceName.h"

using namespace todana;

// A loading, identified by its keyspace: ids are never reused, so a later session does not confuse two loadings.
struct tdn_loader {
  std::shared_ptr<Cabinet> cabinet;
  uint32_t keyspace;
};

namespace {

// Calls `body` with the session that the loading belongs to. Throws Failure(TDN_INTERRUPTED) if the loading has ended.
template <class Body> bool catchLoadingErrors(tdn_loader *loader, tdn_error *error, Body body) {
  return catchErrors(error, [&] {
    if (loader->cabinet->isOpen()) {
      Cabinet::Use session(*loader->cabinet);
      if (session->isLoading(loader->keyspace)) return body(*session);
    }
    throw Failure(TDN_INTERRUPTED, "the loading has ended: the keyspace was adopted, or the store closed or reopened");
  });
}

}  // namespace

tdn_loader *tdn_loader_open(
  tdn_cabinet *handle, int32_t kind, const uint8_t *name, size_t nameLength, uint64_t recordCount, uint32_t *keyspace,
  tdn_error *error) {
  tdn_loader *opened = nullptr;
  catchErrors(error, [&] {
    const std::string checked = checkedName(kind, name, nameLength);
    Cabinet::Use session(*handle->cabinet);
    auto loader = std::make_unique<tdn_loader>(tdn_loader{handle->cabinet, 0});
    loader->keyspace = *keyspace = session->beginLoading(kind, checked, recordCount);
    opened = loader.release();
  });
  return opened;
}

bool tdn_loader_append(tdn_loader *loader, const tdn_batch *batch, tdn_error *error) {
  return catchLoadingErrors(loader, error, [&](Session &session) { session.load(loader->keyspace, *batch); });
}

bool tdn_loader_finish(tdn_loader *loader, tdn_error *error) {
  return catchLoadingErrors(loader, error, [&](Session &session) { session.finishLoading(loader->keyspace); });
}

void tdn_loader_close(tdn_loader *loader) {
  std::unique_ptr<tdn_loader> owned(loader);
  tdn_error ignored;
  // Errors are ignored: the end of a session ends its loadings.
  catchErrors(&ignored, [&] { Cabinet::Use(*owned->cabinet)->endLoading(owned->keyspace); });
}
