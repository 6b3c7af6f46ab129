// The keys of an encrypted cabinet, and what gives a whole one other keys, or none.
#ifndef TODANA_STORAGE_ENGINE_KEYS_H
#define TODANA_STORAGE_ENGINE_KEYS_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// The keys that the store's values are sealed under, by whoever puts them; null in a plain store. To be released.
tds_key_ring *TDN_NULLABLE tdn_key_ring(tdn_cabinet *cabinet, tdn_error *error);

typedef struct {
  uint32_t id;
  int32_t kind;                // a `tds_secret_kind`
  uint64_t created_milliseconds;  // since 1970
  bool damaged;                // nothing but the id is known
  bool in_use;                 // the store was opened with it
} tdn_key_slot;

// Visits every passphrase and key that opens the store. TDN_NOT_ENCRYPTED, as for those below.
bool tdn_key_slots(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_key_slot *slot), tdn_error *error);
// Each of these replaces the file of keys: some hundred bytes, durable when it returns.
bool tdn_add_secret(tdn_cabinet *cabinet, const tds_secret *secret, uint32_t *slot, tdn_error *error);
bool tdn_change_secret(tdn_cabinet *cabinet, const tds_secret *secret, uint32_t *slot, tdn_error *error);
bool tdn_remove_secret(tdn_cabinet *cabinet, uint32_t slot, tdn_error *error);
// Visits the bytes of the file of keys, which open with any of its secrets what the store's directory holds.
bool tdn_export_keys(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const uint8_t *bytes, size_t byte_count), tdn_error *error);

typedef enum {
  TDN_MIGRATION_NONE = 0,
  TDN_MIGRATION_ENCRYPTING = 1,
  TDN_MIGRATION_DECRYPTING = 2,
  TDN_MIGRATION_ROTATING = 3,
} tdn_migration;

// Each of these begins something that `tdn_migrate` does, which may be interrupted, and gone on with, at any time. What
// opens the store from then on is durable when the call returns, and is not taken back.
// New keys for everything, under a new master key, which only these secrets open from now on. Visits every passphrase
// and key of before, and whether it is still one.
bool tdn_rotate_keys(
  tdn_cabinet *cabinet, const tds_secret *secrets, size_t secret_count, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_key_slot *slot, bool kept), tdn_error *error);
// A plain store becomes an encrypted one, which this secret opens.
bool tdn_encrypt(tdn_cabinet *cabinet, const tds_secret *secret, tdn_error *error);
bool tdn_decrypt(tdn_cabinet *cabinet, tdn_error *error);
// What is unfinished: a `tdn_migration`.
bool tdn_get_migration(tdn_cabinet *cabinet, int32_t *migration, tdn_error *error);

// Puts an exported file of keys, which `secret` opens, in the place of the store's. Nobody may have the store open.
bool tdn_import_keys(
  const char *path, const uint8_t *bytes, size_t byte_count, const tds_secret *secret, tdn_error *error);

// MARK: Migrating

// Goes on with what was begun (see `tdn_rotate_keys`), in steps of a millisecond, while the store is in use. `*done`: it is
// finished, and nothing is left in the directory of the old keys, or of what was plain. Otherwise `progress` gave up.
// TDN_IN_USE where another thread does so.
bool tdn_migrate(
  tdn_cabinet *cabinet, tdn_progress progress, void *TDN_NULLABLE context, bool *done, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
