// The C interface of the storage engine. A cabinet is one directory of Kyoto Cabinet files that commit together.
//
// The headers are plain C over the C++ of this target. No C++ exception leaves a function. Every function that can fail
// fills a `tdn_error`. Every function is safe to call from any thread unless its comment says otherwise.
//
// Terms: a *keyspace* is a numbered collection of records with a name (a class, the named buffers, an ordered tree). It
// lives in one *data file* at a time. A *row* is a record whose key is a 64-bit row id. A *commit* applies all changes
// of a batch or none.
//
// Each part of the interface has its own header, which one file in Interface/ implements.
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
