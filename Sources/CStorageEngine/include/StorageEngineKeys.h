// The keys of an encrypted cabinet, and migrations: rotating keys, encrypting and decrypting a store.
#ifndef TODANA_STORAGE_ENGINE_KEYS_H
#define TODANA_STORAGE_ENGINE_KEYS_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// Returns the keys that callers seal records under; null if the store is not encrypted. Release with
// `tds_key_ring_release`.
tds_key_ring *TDN_NULLABLE tdn_key_ring(tdn_cabinet *cabinet, tdn_error *error);

typedef struct {
  uint32_t id;
  int32_t kind;                // a `tds_secret_kind`
  uint64_t created_milliseconds;  // since 1970
  bool damaged;                // only `id` is known
  bool in_use;                 // the store was opened with this secret
} tdn_key_slot;

// Visits every passphrase and key that opens the store. Like the functions below, fails with TDN_NOT_ENCRYPTED for a
// plain store.
bool tdn_key_slots(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_key_slot *slot), tdn_error *error);
// Adds a secret, replaces the one that the store was opened with, or removes one. Each function replaces the file of
// keys (a few hundred bytes), which is durable when the function returns.
bool tdn_add_secret(tdn_cabinet *cabinet, const tds_secret *secret, uint32_t *slot, tdn_error *error);
bool tdn_change_secret(tdn_cabinet *cabinet, const tds_secret *secret, uint32_t *slot, tdn_error *error);
bool tdn_remove_secret(tdn_cabinet *cabinet, uint32_t slot, tdn_error *error);
// Visits the bytes of the file of keys. Together with any of its secrets, they open the store's directory.
bool tdn_export_keys(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const uint8_t *bytes, size_t byte_count), tdn_error *error);

typedef enum {
  TDN_MIGRATION_NONE = 0,
  TDN_MIGRATION_ENCRYPTING = 1,
  TDN_MIGRATION_DECRYPTING = 2,
  TDN_MIGRATION_ROTATING = 3,
} tdn_migration;

// Begins a rotation: makes new keys for all data under a new master key. From now on only the given secrets open the
// store. Visits every passphrase and key that opened the store before, and reports whether it still does.
//
// This function, `tdn_encrypt` and `tdn_decrypt` begin a migration, which `tdn_migrate` carries out. The migration can
// be interrupted and continued at any time. The new way of opening the store is durable when the function returns, and
// cannot be undone.
bool tdn_rotate_keys(
  tdn_cabinet *cabinet, const tds_secret *secrets, size_t secret_count, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_key_slot *slot, bool kept), tdn_error *error);
// Begins to encrypt a plain store, which `secret` opens from now on.
bool tdn_encrypt(tdn_cabinet *cabinet, const tds_secret *secret, tdn_error *error);
// Begins to decrypt an encrypted store. An unfinished migration is replaced.
bool tdn_decrypt(tdn_cabinet *cabinet, tdn_error *error);
// Reports the unfinished migration, a `tdn_migration`.
bool tdn_get_migration(tdn_cabinet *cabinet, int32_t *migration, tdn_error *error);

// Replaces the store's file of keys by an exported one, which `secret` opens. The store must not be open.
bool tdn_import_keys(
  const char *path, const uint8_t *bytes, size_t byte_count, const tds_secret *secret, tdn_error *error);

// MARK: Migrating

// Continues the migration that `tdn_rotate_keys`, `tdn_encrypt` or `tdn_decrypt` began, in steps of a millisecond,
// while the store is in use. Sets `*done` if the migration is complete: the directory then contains no data under the
// old keys and, after encrypting, no plain data. Otherwise `progress` gave up. Fails with TDN_IN_USE if another thread
// runs a migration.
bool tdn_migrate(
  tdn_cabinet *cabinet, tdn_progress progress, void *TDN_NULLABLE context, bool *done, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
