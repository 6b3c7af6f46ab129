// A cabinet: one directory of Kyoto Cabinet files that commit together.
//
// Plain C over the C++ of this target. No C++ exception passes these headers, every function that can fail
// fills a `tdn_error`, and every function is safe to call from any thread unless it says otherwise.
//
// Words: a *keyspace* is a numbered collection of records with a name (a class, the named buffers, an ordered
// tree); it lives in one *data file* at a time. A *row* is a record whose key is a 64-bit row id. A *commit*
// applies a batch wholly or not at all.
//
// Each part of the interface is a header of its own, which one file in Interface/ implements.
#ifndef TODANA_STORAGE_ENGINE_H
#define TODANA_STORAGE_ENGINE_H

#include "StorageEngineBackups.h"
#include "StorageEngineCommit.h"
#include "StorageEngineErrors.h"
#include "StorageEngineKeys.h"
#include "StorageEngineKeyspaces.h"
#include "StorageEngineLoading.h"
#include "StorageEngineMaintenance.h"
#include "StorageEngineOpening.h"
#include "StorageEngineReading.h"
#include "StorageEngineSalvage.h"
#include "StorageEngineSeries.h"
#include "StorageEngineSpill.h"
#include "StorageEngineVerification.h"

#endif
