// The conversion of a batch's records to the form of their keyspace. HashKeyspaceWriter calls it inside `apply`,
// KeyspaceLoader under its own mutex.
//
// Callers seal records before a commit starts. Afterwards the keys may be renewed, or the keyspace encrypted or
// decrypted.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Batch.h"

namespace todana {

// Converts the put records of a run that do not have the form of this key generation; 0: plain form. `keyspace` is not
// a tree, and the ring is not null. Does not change other bytes that a caller put, because readers refuse them. Throws
// Failure.
void convertRecords(
  Batch &batch, const BatchRun &run, const Keyspace &keyspace, const std::shared_ptr<const KeyRing> &ring,
  uint32_t keyGeneration);

}  // namespace todana
