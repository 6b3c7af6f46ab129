// Loading a keyspace aside: it is filled in bounded steps, past the log, and joins the store in one small commit.
#ifndef TODANA_STORAGE_ENGINE_LOADING_H
#define TODANA_STORAGE_ENGINE_LOADING_H

#include "StorageEngineCommit.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef struct tdn_loader tdn_loader;

// Begins to load a new keyspace, whose number goes to `*keyspace`. Reads, lists and other batches do not know it before a
// batch with TDN_ADOPT of this number was applied; another keyspace may have its name until then. `record_count`: about how
// many records there will be, which decides how its file is laid out; 0 if that is not known.
tdn_loader *TDN_NULLABLE tdn_loader_open(
  tdn_cabinet *cabinet, int32_t kind, const uint8_t *name, size_t name_length, uint64_t record_count, uint32_t *keyspace,
  tdn_error *error);

// Puts records: a batch of TDN_PUT for this keyspace alone, whose keys come after those of all earlier calls, and which
// expects nothing, or TDN_EXPECT_ABSENT. The batch's id is not remembered. No lock of the store is held. TDN_INVALID leaves
// the loading as it is; after any other error every further call fails as this one did. TDN_INTERRUPTED after `tdn_reopen`
// or `tdn_close`, and once the keyspace was adopted.
bool tdn_loader_append(tdn_loader *loader, const tdn_batch *batch, tdn_error *error);

// Makes the records durable, after which TDN_ADOPT is permitted. A batch that is refused, or fails, can be committed again:
// nothing has to be loaded again, unless the error is TDN_INTERRUPTED, because the store's keys were renewed.
bool tdn_loader_finish(tdn_loader *loader, tdn_error *error);

// Without an adoption, the records are removed.
void tdn_loader_close(tdn_loader *loader);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
