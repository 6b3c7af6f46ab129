// Keyspaces of a cabinet: their kinds, names, numbers and row ids.
#ifndef TODANA_STORAGE_ENGINE_KEYSPACES_H
#define TODANA_STORAGE_ENGINE_KEYSPACES_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef enum {
  TDN_KEYSPACE_ROWS = 1,       // hash file; keys are row ids
  TDN_KEYSPACE_KEYS = 2,       // hash file; keys are bytes
  TDN_KEYSPACE_TREE = 3,       // B+ tree; keys are bytes, in lexical order
} tdn_keyspace_kind;

typedef struct {
  uint32_t id;
  int32_t kind;                // a `tdn_keyspace_kind`
  const uint8_t *name;         // valid during the callback only
  size_t name_length;
} tdn_keyspace;

// Visits every known keyspace in the order of ids. Opens no data file, so that a damaged file does not hide the other
// keyspaces.
bool tdn_keyspaces(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_keyspace *keyspace), tdn_error *error);

// Extends bit-flip repair to the records of a keyspace, until the cabinet is closed. Has no effect unless the cabinet
// was opened with `repairs_bits`.
bool tdn_repair_records(tdn_cabinet *cabinet, uint32_t keyspace, tdn_error *error);

// Returns the id of the keyspace with this kind and name (1 to 1,000 arbitrary bytes). Assigns a new id if there is
// none. A new id becomes durable with the first commit that puts a record into it. Ids are never reused.
bool tdn_keyspace_named(
  tdn_cabinet *cabinet, int32_t kind, const uint8_t *name, size_t name_length, uint32_t *id, tdn_error *error);

// Adds a keyspace under an id that the caller chose, for copies whose records refer to each other by ids. Unused lower
// ids are no longer assigned afterwards. Fails with TDN_INVALID if the id or the name is in use.
bool tdn_keyspace_numbered(
  tdn_cabinet *cabinet, uint32_t id, int32_t kind, const uint8_t *name, size_t name_length, tdn_error *error);

// Counts the records of a keyspace in the newest committed state.
bool tdn_count(tdn_cabinet *cabinet, uint32_t keyspace, uint64_t *count, tdn_error *error);

// Reserves `count` row ids that were never reserved before. Sets `*first` to the first one; the others follow it. Row
// ids start at 1. Holds no lock and writes nothing: the counter becomes durable with the next commit.
bool tdn_reserve_rows(tdn_cabinet *cabinet, uint32_t keyspace, uint64_t count, uint64_t *first, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
