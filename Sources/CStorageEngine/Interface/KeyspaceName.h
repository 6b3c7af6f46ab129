// The check of the kind and name of a keyspace that a caller passes.
#pragma once

#include <string>

#include "../Commit/Batch.h"
#include "../include/StorageEngineKeyspaces.h"

namespace todana {

// Checks the kind and returns the name. Throws Failure: TDN_INVALID, TDN_LIMIT.
inline std::string checkedName(int32_t kind, const uint8_t *name, size_t length) {
  if (kind < TDN_KEYSPACE_ROWS || kind > TDN_KEYSPACE_TREE) throw Failure(TDN_INVALID, "unknown kind of keyspace");
  if (length < 1 || length > kMaximumNameLength) throw Failure(TDN_LIMIT, "a keyspace's name has 1 to 1,000 bytes");
  return std::string(reinterpret_cast<const char *>(name), length);
}

}  // namespace todana
