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
  TDN_KEYSPACE_TREE = 3,       // B+ tree; keys are bytes, in their lexical order
} tdn_keyspace_kind;

typedef struct {
  uint32_t id;
  int32_t kind;                // a `tdn_keyspace_kind`
  const uint8_t *name;         // valid during the callback only
  size_t name_length;
} tdn_keyspace;

// Visits every known keyspace, in the order of ids. Opens no data file: a damaged one does not hide the others.
bool tdn_keyspaces(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_keyspace *keyspace), tdn_error *error);

// Has single wrong bits of a keyspace's rows repaired, too, until the cabinet is closed, where it was opened so that any are.
bool tdn_repair_records(tdn_cabinet *cabinet, uint32_t keyspace, tdn_error *error);

// The id of the keyspace with this kind and name (1 to 1,000 bytes, any values); gives out a new one where there
// is none. A new id becomes durable with the first commit that puts something into it. Ids are never used again.
bool tdn_keyspace_named(
  tdn_cabinet *cabinet, int32_t kind, const uint8_t *name, size_t name_length, uint32_t *id, tdn_error *error);

// The same with an id of the caller's choice, for copies whose records name each other by ids. Ids below it that are not in
// use are not given out any more. TDN_INVALID where the id, or the name, is in use.
bool tdn_keyspace_numbered(
  tdn_cabinet *cabinet, uint32_t id, int32_t kind, const uint8_t *name, size_t name_length, tdn_error *error);

// Records of a keyspace in the newest committed state, or in the snapshot's.
bool tdn_count(tdn_cabinet *cabinet, uint32_t keyspace, uint64_t *count, tdn_error *error);

// Hands out `count` row ids that were never handed out before; the first goes to `*first`, the rest follow it.
// Row ids start at 1. No lock is held and nothing is written: the counter becomes durable with the next commit.
bool tdn_reserve_rows(tdn_cabinet *cabinet, uint32_t keyspace, uint64_t count, uint64_t *first, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
