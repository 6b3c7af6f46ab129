// Loading of a new keyspace: its file is filled separately, in bounded steps and without the log, and joins the store
// in one small commit.
#ifndef TODANA_STORAGE_ENGINE_LOADING_H
#define TODANA_STORAGE_ENGINE_LOADING_H

#include "StorageEngineCommit.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef struct tdn_loader tdn_loader;

// Begins to load a new keyspace, whose id is stored in `*keyspace`. Reads, lists and other batches do not know it until
// a batch with TDN_ADOPT of this id is applied. Another keyspace may have its name until then. `record_count` is the
// estimated number of records, which determines the layout of the file; 0 if it is not known.
tdn_loader *TDN_NULLABLE tdn_loader_open(
  tdn_cabinet *cabinet, int32_t kind, const uint8_t *name, size_t name_length, uint64_t record_count, uint32_t *keyspace,
  tdn_error *error);

// Puts records. The batch contains TDN_PUT for this keyspace only, with TDN_EXPECT_ANY or TDN_EXPECT_ABSENT. Its keys
// follow those of all earlier calls. The batch's id is not stored. No lock of the store is held.
//
// TDN_INVALID leaves the loading as it was. After any other error, every further call fails with that error. Fails with
// TDN_INTERRUPTED after `tdn_reopen` or `tdn_close`, and after the keyspace was adopted.
bool tdn_loader_append(tdn_loader *loader, const tdn_batch *batch, tdn_error *error);

// Makes the records durable, after which TDN_ADOPT is permitted. If the batch with TDN_ADOPT fails, it can be committed
// again without loading again. The exception is TDN_INTERRUPTED: the store's keys were renewed, so the keyspace must be
// loaded again.
bool tdn_loader_finish(tdn_loader *loader, tdn_error *error);

// Frees the loader. Removes the records unless the keyspace was adopted.
void tdn_loader_close(tdn_loader *loader);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
