// What can be read of a damaged cabinet.
#ifndef TODANA_STORAGE_ENGINE_SALVAGE_H
#define TODANA_STORAGE_ENGINE_SALVAGE_H

#include "CSealing.h"
#include "StorageEngineErrors.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// Reading what is left of a damaged store, which nothing else opens. Nothing of it is changed. Damage is visited, not an
// error.

// What is known of the store as a whole; visited first.
typedef struct {
  bool has_store_id;           // false: the superblock is damaged
  uint8_t store_id[16];
  uint64_t byte_count;         // of the keyspaces' files
  const tds_key_ring *TDN_NULLABLE key_ring;  // of an encrypted store; valid during the callback only
  bool may_be_plain;           // encrypting or decrypting it was interrupted: some of it is plain
} tdn_salvage_store;

typedef struct {
  uint32_t id;                 // 0: not known
  int32_t kind;                // a `tdn_keyspace_kind`; 0: rows or keys, and each record may be visited as either
  const uint8_t *name;         // valid during the callback only
  size_t name_length;
  bool is_name_known;          // false: the catalog is damaged, and this is what the file's name has of it
  uint64_t next_row;           // as far as known, else 1
  uint64_t record_count;       // that its header counts; UINT64_MAX: not known
  const char *file;
} tdn_salvage_keyspace;

typedef struct {
  uint64_t row;                // rows only
  const uint8_t *key;          // of keys and trees; null for rows
  size_t key_length;
  const uint8_t *value;
  size_t value_length;
  bool is_vouched_for;         // the checksums of all its pages match
} tdn_salvage_record;

typedef struct {
  bool has_row;
  uint64_t row;                // the row that the record belonged to, if its key can be believed
  uint64_t offset;             // in the keyspace's file
  uint64_t byte_count;
} tdn_salvage_damage;

typedef enum {
  TDN_SALVAGE_REFUSE = 0,      // that is no record of the keyspace, or a damaged one
  TDN_SALVAGE_TAKE = 1,
  TDN_SALVAGE_STOP = 2,        // give up
} tdn_salvage_answer;

// All are called in the thread that salvages.
typedef struct {
  void *TDN_NULLABLE context;
  void (*store)(void *TDN_NULLABLE context, const tdn_salvage_store *store);
  // What was lost of the store as a whole, as a sentence.
  void (*loss)(void *TDN_NULLABLE context, const char *sentence);
  // Before the records of the keyspace.
  void (*keyspace)(void *TDN_NULLABLE context, const tdn_salvage_keyspace *keyspace);
  // For each candidate: the caller knows a record when it sees one. One that is taken may come again.
  tdn_salvage_answer (*record)(void *TDN_NULLABLE context, const tdn_salvage_record *record);
  void (*damage)(void *TDN_NULLABLE context, const tdn_salvage_damage *damage);
  // False gives up.
  bool (*progress)(void *TDN_NULLABLE context, uint64_t done, uint64_t total);
} tdn_salvage_visitor;

// Visits every keyspace, those without a known id last, and every record that can be found. TDN_INTERRUPTED after giving
// up; TDN_NOT_FOUND, TDN_NOT_A_STORE, TDN_IN_USE, TDN_NEWER_FORMAT, TDN_OLDER_FORMAT; of an encrypted store what opening it may say of its
// keys.
bool tdn_salvage(
  const char *path, const tds_secret *TDN_NULLABLE secret, const tdn_salvage_visitor *visitor, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
