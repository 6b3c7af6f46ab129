// The C functions of StorageEngineKeyspaces.h.
#include "../include/StorageEngineKeyspaces.h"

#include <string>

#include "CabinetHandle.h"
#include "ErrorBoundary.h"
#include "KeyspaceName.h"

using namespace todana;

bool tdn_keyspaces(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const tdn_keyspace *keyspace), tdn_error *error) {
  return catchErrors(error, [&] {
    // Collect all keyspaces first, because the callback may call the engine.
    for (const Session::KeyspaceInfo &info : Cabinet::Use(*handle->cabinet)->keyspaces()) {
      tdn_keyspace keyspace{
        info.id, info.kind, reinterpret_cast<const uint8_t *>(info.name.data()), info.name.size()};
      visit(context, &keyspace);
    }
  });
}

bool tdn_repair_records(tdn_cabinet *handle, uint32_t keyspace, tdn_error *error) {
  return catchErrors(error, [&] { Cabinet::Use(*handle->cabinet)->table().repairRecords(keyspace); });
}

bool tdn_keyspace_named(
  tdn_cabinet *handle, int32_t kind, const uint8_t *name, size_t nameLength, uint32_t *id, tdn_error *error) {
  return catchErrors(error, [&] {
    const std::string checked = checkedName(kind, name, nameLength);
    Cabinet::Use session(*handle->cabinet);
    *id = session->table().keyspace(kind, checked).id;
  });
}

bool tdn_keyspace_numbered(
  tdn_cabinet *handle, uint32_t id, int32_t kind, const uint8_t *name, size_t nameLength, tdn_error *error) {
  return catchErrors(error, [&] {
    const std::string checked = checkedName(kind, name, nameLength);
    Cabinet::Use session(*handle->cabinet);
    session->table().addNew(id, kind, checked);
  });
}

bool tdn_count(tdn_cabinet *handle, uint32_t keyspace, uint64_t *count, tdn_error *error) {
  return catchErrors(error, [&] { *count = Cabinet::Use(*handle->cabinet)->count(keyspace); });
}

bool tdn_reserve_rows(
  tdn_cabinet *handle, uint32_t keyspace, uint64_t count, uint64_t *first, tdn_error *error) {
  return catchErrors(error, [&] { *first = Cabinet::Use(*handle->cabinet)->reserveRows(keyspace, count); });
}
