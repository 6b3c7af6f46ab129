// Errors of the C interface, and the macros that its headers share.
#ifndef TODANA_STORAGE_ENGINE_ERRORS_H
#define TODANA_STORAGE_ENGINE_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDN_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define TDN_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define TDN_NULLABLE _Nullable
#else
#define TDN_ASSUME_NONNULL_BEGIN
#define TDN_ASSUME_NONNULL_END
#define TDN_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef enum {
  TDN_OK = 0,
  TDN_IO = 1,                  // a system call failed: see `system_errno`
  TDN_NO_SPACE = 2,            // ENOSPC, EDQUOT or EFBIG
  TDN_NO_PERMISSION = 3,       // EACCES, EPERM or EROFS
  TDN_NOT_FOUND = 4,           // the directory does not exist, and the options do not create it
  TDN_NOT_A_STORE = 5,         // the path is a file, or a directory with other content
  TDN_NEWER_FORMAT = 6,        // written by a newer version of this library
  TDN_DAMAGED = 7,             // the superblock, the log, checksums or the structure of a file are damaged
  TDN_IN_USE = 8,              // another process or handle has the directory open: see `process`
  TDN_CONFLICT = 9,            // a record does not meet the batch's expectation: see `tdn_commit_result`
  TDN_LIMIT = 10,              // a key, value or batch exceeds its limit
  TDN_MUST_REOPEN = 11,        // an earlier flush failed: the outcome is unknown until `tdn_reopen`
  TDN_CLOSED = 12,
  TDN_READ_ONLY = 13,
  TDN_NO_MEMORY = 14,
  TDN_NO_KEYSPACE = 15,        // no keyspace with this id
  TDN_INVALID = 16,            // an argument breaks a rule in the function's header
  TDN_INTERRUPTED = 17,        // the caller gave up, or `tdn_reopen` or `tdn_close` ended the backup or loading
  TDN_OTHER_STORE = 18,        // the series of backups, or the file of keys, belongs to another store
  TDN_WRONG_SECRET = 19,       // the passphrase or key is none of the store's
  TDN_DAMAGED_KEY_SLOT = 20,   // no intact key slot opens, and one cannot be read
  TDN_DAMAGED_KEYS = 21,       // the file of keys is missing or cannot be read, or does not fit the store
  TDN_NOT_ENCRYPTED = 22,      // the store is not encrypted, so it has no secrets
  TDN_SECRET_REQUIRED = 23,    // the store is encrypted, and no secret was given
  TDN_UNKNOWN_EPOCH = 24,      // data are sealed under a key that the file of keys does not have
  TDN_CONTENTS_MISMATCH = 25,  // the records are not those that were committed: some are missing, added or changed
  TDN_ROLLED_BACK = 26,        // the store is older than the expected commit
  TDN_DIVERGED = 27,           // the store is neither in the expected state nor derived from it
  TDN_MIGRATION_UNFINISHED = 28,  // encrypting or decrypting the store was interrupted: see `resuming_migration`
  TDN_SNAPSHOT_ENDED = 29,     // `tdn_reopen` or `tdn_close` ended the snapshot and its scans
  TDN_OLDER_FORMAT = 30,       // written by an older version of this library, in a format that is no longer read
  TDN_USED_AFTER_FORK = 31,    // the object was made before the process was forked: open the store after forking
  TDN_LAST_CODE = TDN_USED_AFTER_FORK,
} tdn_code;

typedef struct {
  int32_t code;                // a `tdn_code`
  int32_t system_errno;        // 0 if no system call failed
  uint32_t keyspace;           // 0 if no keyspace is concerned
  bool has_row;
  uint64_t row;
  int64_t page;                // number of the 4 KiB page of `file`, or -1
  int64_t process;             // process id of the holder (TDN_IN_USE), or 0
  char file[288];              // file name within the directory, or a path; empty if no file is concerned
  char message[480];           // one English sentence: the cause, and a remedy if there is one
} tdn_error;

// A callback before each step, which takes some milliseconds. Returns false to give up.
typedef bool (*tdn_progress)(void *TDN_NULLABLE context, uint64_t done, uint64_t total);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
