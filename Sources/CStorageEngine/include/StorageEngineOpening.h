// Opening and closing a cabinet.
#ifndef TODANA_STORAGE_ENGINE_OPENING_H
#define TODANA_STORAGE_ENGINE_OPENING_H

#include "CSealing.h"
#include "StorageEngineErrors.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef struct tdn_cabinet tdn_cabinet;

typedef enum {
  TDN_STORAGE_DIRECTORY = 0,   // a directory on disk
  TDN_STORAGE_TEMPORARY = 1,   // unlinked files in a directory for temporary files: gone when closed or killed
  TDN_STORAGE_MEMORY = 2,      // memory only
} tdn_storage;

typedef enum {
  TDN_ACCESS_WRITE = 0,        // creates the store if the directory does not exist or is empty
  TDN_ACCESS_WRITE_EXISTING = 1,
  TDN_ACCESS_READ = 2,         // needs no write permission, changes nothing
} tdn_access;

// A commit of a store, to be remembered outside of it. Opening the store with the anchor verifies that it still has the
// commit.
typedef struct {
  uint64_t commit_number;
  uint8_t code[16];            // SHA-256 of the commit's number and batch id, shortened; no key is needed
} tdn_anchor;

typedef struct {
  int32_t storage;             // a `tdn_storage`
  int32_t access;              // a `tdn_access`
  int64_t wait_milliseconds;   // longest wait while another process has the store open; 0: none
  int64_t log_limit;           // bytes of log that start a background checkpoint (64 MiB)
  int64_t private_limit;       // bytes of changed pages that start a background checkpoint (128 MiB)
  int64_t commit_limit;        // bytes of committed pages that one batch may change (1 GiB)
  int64_t snapshot_limit;      // bytes of old values that all snapshots keep in memory before they use files (64 MiB)
  int64_t direct_threshold;    // bytes of whole new pages from which a commit writes them straight to the file (1 MiB)
  int32_t descriptor_limit;    // data files open at the same time (256)
  int32_t sector_size;         // unit that the device writes atomically: 512 or 4096; 0: ask the device
  bool strict;                 // does not trust `sector_size` either: logs whole pages
  const char *TDN_NULLABLE program;  // name shown to other processes; null: the name of this process
  const tds_secret *TDN_NULLABLE secret;  // for an encrypted store; null for a plain one. Read by `tdn_open` only
  int32_t cipher;              // for a store that is created encrypted: 0 or 1 AES-128-GCM, 2 AES-256-GCM
  int32_t scrypt_log2_n;       // logarithm of scrypt's N for passphrases that are added; 0: 16
  int64_t seal_limit;          // approximate number of seals under one key before a new key is made; 0: 2^31
  const tdn_anchor *TDN_NULLABLE expected;  // null: any state is accepted. Read by `tdn_open` only
  bool limits_memory;          // keeps little of large files in memory after reading, which makes reads slower
  bool repairs_bits;             // repairs single wrong bits of the data that lead to other data, without an error
  int64_t compaction_room;     // bytes that a compaction may use besides the files, its log included (64 MiB)
  bool resuming_migration;     // opens a store that is partly plain because encrypting or decrypting it was interrupted
} tdn_options;

// Sets the default options. The default limits are the values in parentheses above.
void tdn_options_init(tdn_options *options);

typedef struct {
  bool created;
  bool read_only;
  uint8_t store_id[16];
  uint64_t commit_number;          // newest commit of the opened state
  uint64_t recovered_commits;      // commits found in the log and written back to the files
  double recovery_seconds;
  uint32_t format_version;
} tdn_open_report;

// Opens the store at `path`, which is ignored for TDN_STORAGE_MEMORY. On failure returns null, fills `error`, and
// leaves nothing behind.
tdn_cabinet *TDN_NULLABLE tdn_open(
  const char *path, const tdn_options *options, tdn_open_report *report, tdn_error *error);

// Waits for running calls, makes everything durable, removes the logs, and frees the cabinet. Frees it on failure, too:
// then `error` describes the data that could not be written. All commits that were reported as durable are still in the
// log.
bool tdn_close(tdn_cabinet *cabinet, tdn_error *error);

// In a child of the process that opened the cabinet, reading works, and every function that would change a file fails
// with TDN_USED_AFTER_FORK. `tdn_close` must not be called there.
//
// Checks in a child, after something was read, whether that was reliable. Fails with TDN_USED_AFTER_FORK if the parent
// has written to the main files since the fork, or has closed the store.
bool tdn_check_after_fork(tdn_cabinet *cabinet, tdn_error *error);

// In a child, instead of `tdn_close`: lets the directory go, so that it can be opened again here or elsewhere when the
// parent has closed it or ended. The child keeps the memory.
void tdn_abandon(tdn_cabinet *cabinet);

// Deletes the files of the store at `path`, and the directory if nothing else is in it. Needs no key. Can be repeated
// after an interruption. Fails with TDN_NOT_FOUND if there is no store, and with TDN_IN_USE if it is open anywhere.
bool tdn_destroy(const char *path, int64_t wait_milliseconds, tdn_error *error);

// Discards all state in memory, recovers from the files, and keeps the handle valid. Call it after TDN_MUST_REOPEN.
bool tdn_reopen(tdn_cabinet *cabinet, tdn_open_report *report, tdn_error *error);

// Returns the newest commit, after making it durable. Opening the store with it as `expected` succeeds if that commit
// is the newest one or among the 999 before it. It fails with TDN_ROLLED_BACK if the store is older. It fails with
// TDN_DIVERGED if the store has another commit under that number, if its files belong to different states, or if more
// than 999 commits followed.
bool tdn_get_anchor(tdn_cabinet *cabinet, tdn_anchor *anchor, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
