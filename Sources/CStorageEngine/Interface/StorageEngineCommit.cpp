// The C functions of StorageEngineCommit.h.
#include "../include/StorageEngineCommit.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "../Commit/BatchCommit.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

namespace {

FileGroup::Durability level(int32_t durability) {
  switch (durability) {
    case TDN_FULL: return FileGroup::Durability::full;
    case TDN_RELAXED: return FileGroup::Durability::relaxed;
    case TDN_BULK: return FileGroup::Durability::bulk;
    default: throw Failure(TDN_INVALID, "unknown level of durability");
  }
}

}  // namespace

bool tdn_commit(
  tdn_cabinet *handle, const tdn_batch *batch, int32_t durability, tdn_commit_result *result, tdn_error *error) {
  *result = {};
  return catchErrors(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    std::vector<uint64_t> conflicts;
    try {
      result->commit_number = session->commit(*batch, level(durability), conflicts);
    } catch (const Conflict &) {
      result->conflicts = static_cast<uint64_t *>(std::malloc(conflicts.size() * sizeof(uint64_t)));
      if (!result->conflicts) throw std::bad_alloc();
      std::memcpy(result->conflicts, conflicts.data(), conflicts.size() * sizeof(uint64_t));
      result->conflict_count = conflicts.size();
      throw;
    }
  });
}

void tdn_commit_result_free(tdn_commit_result *result) {
  std::free(result->conflicts);
  *result = {};
}

bool tdn_outcome(tdn_cabinet *handle, const uint8_t *batchID, uint64_t *commitNumber, tdn_error *error) {
  return catchErrors(error, [&] { *commitNumber = Cabinet::Use(*handle->cabinet)->group().outcome(batchID); });
}
