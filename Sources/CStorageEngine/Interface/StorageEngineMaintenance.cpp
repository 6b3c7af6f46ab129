// The C functions of StorageEngineMaintenance.h.
#include "../include/StorageEngineMaintenance.h"

#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

bool tdn_checkpoint(tdn_cabinet *handle, tdn_error *error) {
  return catchErrors(error, [&] { Cabinet::Use(*handle->cabinet)->group().checkpoint(); });
}

bool tdn_release_memory(tdn_cabinet *handle, tdn_error *error) {
  return catchErrors(error, [&] { Cabinet::Use(*handle->cabinet)->group().releaseMemory(); });
}

bool tdn_compact(
  tdn_cabinet *handle, uint32_t keyspace, tdn_progress progress, void *context, bool *compacted, tdn_error *error) {
  return catchErrors(error, [&] {
    *compacted = Cabinet::Use(*handle->cabinet)->compact(
      keyspace, [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
  });
}

bool tdn_get_space(
  tdn_cabinet *handle, uint32_t keyspace, tdn_progress progress, void *context, tdn_space *space, tdn_error *error) {
  return catchErrors(error, [&] {
    const Session::Space found = Cabinet::Use(*handle->cabinet)->space(
      keyspace, [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
    *space = {found.fileBytes, found.neededBytes};
  });
}

bool tdn_get_statistics(tdn_cabinet *handle, tdn_statistics *statistics, tdn_error *error) {
  return catchErrors(error, [&] { *statistics = Cabinet::Use(*handle->cabinet)->statistics(); });
}
