// Salvage: reads the intact records of a damaged cabinet.
#ifndef TODANA_STORAGE_ENGINE_SALVAGE_H
#define TODANA_STORAGE_ENGINE_SALVAGE_H

#include "CSealing.h"
#include "StorageEngineErrors.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// The store as a whole. Visited first.
typedef struct {
  bool has_store_id;           // false if the superblock is damaged
  uint8_t store_id[16];
  uint64_t byte_count;         // size of all keyspaces' files
  const tds_key_ring *TDN_NULLABLE key_ring;  // null in a plain store; valid during the callback only
  bool may_be_plain;           // encrypting or decrypting it was interrupted: parts of it are plain
} tdn_salvage_store;

typedef struct {
  uint32_t id;                 // 0 if not known
  int32_t kind;                // a `tdn_keyspace_kind`; 0: rows or keys, and each record may be visited as either
  const uint8_t *name;         // valid during the callback only
  size_t name_length;
  bool is_name_known;          // false: the catalog is damaged; `name` is from the file's name
  uint64_t next_row;           // 1 if not known
  uint64_t record_count;       // from the header of its file; UINT64_MAX if not known
  const char *file;
} tdn_salvage_keyspace;

typedef struct {
  uint64_t row;                // rows only
  const uint8_t *key;          // of names and trees; null for rows
  size_t key_length;
  const uint8_t *value;
  size_t value_length;
  bool is_vouched_for;         // the checksums of all its pages match, or its seal opened
} tdn_salvage_record;

typedef struct {
  bool has_row;
  uint64_t row;                // the record's row, if its key is credible
  uint64_t offset;             // in the keyspace's file
  uint64_t byte_count;
} tdn_salvage_damage;

typedef enum {
  TDN_SALVAGE_REFUSE = 0,      // not a record of the keyspace, or a damaged one
  TDN_SALVAGE_TAKE = 1,
  TDN_SALVAGE_STOP = 2,        // give up
} tdn_salvage_answer;

// The callbacks of a salvage, all called in the thread that salvages.
typedef struct {
  void *TDN_NULLABLE context;
  void (*store)(void *TDN_NULLABLE context, const tdn_salvage_store *store);
  // A loss that concerns the whole store, as a sentence.
  void (*loss)(void *TDN_NULLABLE context, const char *sentence);
  // Called before the records of the keyspace.
  void (*keyspace)(void *TDN_NULLABLE context, const tdn_salvage_keyspace *keyspace);
  // Called for each candidate: the caller decides whether it is a record of the store. The same record may be visited
  // again after it was taken.
  tdn_salvage_answer (*record)(void *TDN_NULLABLE context, const tdn_salvage_record *record);
  void (*damage)(void *TDN_NULLABLE context, const tdn_salvage_damage *damage);
  // Returns false to give up.
  bool (*progress)(void *TDN_NULLABLE context, uint64_t done, uint64_t total);
} tdn_salvage_visitor;

// Visits every keyspace, those without a known id last, and every record that can be found. Works on stores that
// `tdn_open` refuses, and does not change them. Damage is visited, and is not an error.
//
// Fails with TDN_INTERRUPTED if a callback gave up, or with TDN_NOT_FOUND, TDN_NOT_A_STORE, TDN_IN_USE,
// TDN_NEWER_FORMAT or TDN_OLDER_FORMAT. For an encrypted store, it can also fail with the errors of `tdn_open` that
// concern keys.
bool tdn_salvage(
  const char *path, const tds_secret *TDN_NULLABLE secret, const tdn_salvage_visitor *visitor, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
