// The conversion of a batch's records to the form of their keyspace. HashKeyspaceWriter calls it inside `apply`,
// KeyspaceLoader under its own mutex.
//
// Callers seal records before a commit starts. Since then the keys may have been renewed, or the keyspace encrypted or
// decrypted.
#pragma once

#include "../Keyspaces/RecordConversion.h"
#include "Batch.h"

namespace todana {

// Converts the records that a run puts and that have another form than those of this generation; 0: plain ones.
// `keyspace` is not a tree, and the ring not null. Leaves bytes alone that are no record, or only look like one:
// readers refuse them. Throws Failure.
void convertRecords(
  Batch &batch, const BatchRun &run, const Keyspace &keyspace, const std::shared_ptr<const KeyRing> &ring,
  uint32_t keyGeneration);

}  // namespace todana
