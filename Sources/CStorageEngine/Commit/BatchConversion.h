// The conversion of a batch's records to the form of their keyspace. HashKeyspaceWriter calls it inside `apply`,
// KeyspaceLoader under its own mutex.
//
// Callers seal records before a commit starts. Afterwards the keys may be renewed, or the keyspace encrypted or
// decrypted.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Batch.h"

namespace todana {

// Converts the records that a run puts, unless they already have the form of this key generation (0: plain). Leaves
// values that are not records, or cannot be opened, unchanged: readers refuse them. `keyspace` must not be a tree, and
// `ring` must not be null. Throws Failure.
void convertRecords(
  Batch &batch, const BatchRun &run, const Keyspace &keyspace, const std::shared_ptr<const KeyRing> &ring,
  uint32_t keyGeneration);

}  // namespace todana
