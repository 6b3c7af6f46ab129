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
  TDN_STORAGE_TEMPORARY = 1,   // unlinked files in a directory for temporary files: gone at close and after a kill
  TDN_STORAGE_MEMORY = 2,      // memory only
} tdn_storage;

typedef enum {
  TDN_ACCESS_WRITE = 0,        // open, creating the directory where there is none or an empty one
  TDN_ACCESS_WRITE_EXISTING = 1,
  TDN_ACCESS_READ = 2,         // needs no write permission and changes nothing
} tdn_access;

// A commit of a store, to be kept elsewhere: opening the store with it tells whether the store still has the commit.
typedef struct {
  uint64_t commit_number;
  uint8_t code[16];            // under a key of the store's; a plain store's is public
} tdn_anchor;

typedef struct {
  int32_t storage;             // a `tdn_storage`
  int32_t access;              // a `tdn_access`
  int64_t wait_milliseconds;   // how long to wait for another opener to leave; 0: not at all
  int64_t log_limit;           // bytes of log that start a background checkpoint (64 MiB)
  int64_t private_limit;       // bytes of pages changed since a checkpoint that start one (128 MiB)
  int64_t commit_limit;        // bytes of committed pages that one batch may change (1 GiB)
  int64_t snapshot_limit;      // bytes of old values that a snapshot keeps in memory before it uses a file (64 MiB)
  int64_t direct_threshold;    // bytes of whole new pages from which a commit writes them straight to the file (1 MiB)
  int32_t descriptor_limit;    // data files open at once (256)
  int32_t sector_size;         // unit the device writes wholly or not at all: 512 or 4096; 0: ask the device
  bool strict;                 // do not even trust `sector_size`: whole pages in the log
  const char *TDN_NULLABLE program;  // shown to other openers; null: the process's own name
  const tds_secret *TDN_NULLABLE secret;  // for an encrypted store; null for a plain one. Read by `tdn_open` only
  int32_t cipher;              // of a store that is created encrypted: 1 AES-128-GCM (0, too), 2 AES-256-GCM
  int32_t scrypt_log2_n;       // what a passphrase that is added costs to try; 0: 16
  int64_t seal_limit;          // what is sealed under one key until a new one is made, about; 0: 2^31
  const tdn_anchor *TDN_NULLABLE expected;  // null: whatever state the store is in. Read by `tdn_open` only
  bool limits_memory;          // of large files little stays in memory for having been read, which takes longer
  bool repairs_bits;             // a single wrong bit of what leads to the rest is repaired when it is read, and is no error
  int64_t compaction_room;     // bytes on the disk that a compaction may take besides the files, with its log (64 MiB)
  bool resuming_migration;     // plain records are accepted where encrypting or decrypting the store was interrupted
} tdn_options;

void tdn_options_init(tdn_options *options);

typedef struct {
  bool created;
  bool read_only;
  uint8_t store_id[16];
  uint64_t commit_number;          // of the state that was opened
  uint64_t recovered_commits;      // found in the log and written back to the files
  double recovery_seconds;
  uint32_t format_version;
} tdn_open_report;

// Opens the store at `path` (ignored for memory). Null and `error` filled on failure; nothing is left behind then.
tdn_cabinet *TDN_NULLABLE tdn_open(
  const char *path, const tdn_options *options, tdn_open_report *report, tdn_error *error);

// Waits for running calls, makes everything durable, removes the logs, and frees the cabinet (on failure, too:
// then `error` says what could not be written; all commits that were acknowledged as durable are in the log).
bool tdn_close(tdn_cabinet *cabinet, tdn_error *error);

// After TDN_MUST_REOPEN: forgets everything in memory, recovers from the files and goes on under the same handle.
bool tdn_reopen(tdn_cabinet *cabinet, tdn_open_report *report, tdn_error *error);

// The newest commit, once it is durable. With it in `tdn_options`, opening the store succeeds if that commit is its
// newest one or among the 999 before it; otherwise it fails with TDN_ROLLED_BACK where the store is older, or TDN_DIVERGED
// where it is another one, its files are not of one state, or more commits have come since.
bool tdn_get_anchor(tdn_cabinet *cabinet, tdn_anchor *anchor, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
