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
  TDN_NOT_FOUND = 4,           // no such directory, and creating it was not asked for
  TDN_NOT_A_STORE = 5,         // the path is a file, or a directory that holds something else
  TDN_NEWER_FORMAT = 6,        // written by a newer version of this library
  TDN_DAMAGED = 7,             // superblock, log, checksum or keyspace of a file is damaged
  TDN_IN_USE = 8,              // another opener holds the directory: see `process`
  TDN_CONFLICT = 9,            // a record is not what the batch expected: see the commit result
  TDN_LIMIT = 10,              // a key, a value or a batch is over its limit
  TDN_MUST_REOPEN = 11,        // an earlier flush failed: the outcome is unknown until `tdn_reopen`
  TDN_CLOSED = 12,
  TDN_READ_ONLY = 13,
  TDN_NO_MEMORY = 14,
  TDN_NO_KEYSPACE = 15,        // no keyspace with this id
  TDN_INVALID = 16,            // an argument breaks a rule of the function's header
  TDN_INTERRUPTED = 17,        // the caller gave up, or the backup or loading was ended by `tdn_reopen` or `tdn_close`
  TDN_OTHER_STORE = 18,        // the backups at the path are those of another store
  TDN_WRONG_SECRET = 19,       // a passphrase or key that is not one of the store's
  TDN_DAMAGED_KEY_SLOT = 20,   // no other slot opens, and one cannot be read
  TDN_DAMAGED_KEYS = 21,       // the file of keys as a whole is missing or cannot be read
  TDN_NOT_ENCRYPTED = 22,      // a secret was given for a store that needs none
  TDN_SECRET_REQUIRED = 23,    // none was given for one that does
  TDN_UNKNOWN_EPOCH = 24,      // something is sealed under a key that the file of keys does not have
  TDN_CONTENTS_MISMATCH = 25,  // what a scan has read is not what was committed: records are missing, or others are there
  TDN_ROLLED_BACK = 26,        // the store is an older one than the expected one
  TDN_DIVERGED = 27,           // it is not the expected one, nor one that came from that
  TDN_MIGRATION_UNFINISHED = 28,  // encrypting or decrypting the store was interrupted: see `resuming_migration`
  TDN_SNAPSHOT_ENDED = 29,     // the snapshot, and its scans, were ended by `tdn_reopen` or `tdn_close`
  TDN_OLDER_FORMAT = 30,       // written by an older version of this library, in a format that is read no longer
  TDN_LAST_CODE = TDN_OLDER_FORMAT,
} tdn_code;

typedef struct {
  int32_t code;                // a `tdn_code`
  int32_t system_errno;        // 0 where no system call failed
  uint32_t keyspace;           // 0 where none is concerned
  bool has_row;
  uint64_t row;
  int64_t page;                // 4 KiB page of `file`, or -1
  int64_t process;             // process id of the holder (TDN_IN_USE), or 0
  char file[288];              // file name within the directory or a path; empty where none is concerned
  char message[480];           // what went wrong and what can be done, as one English sentence
} tdn_error;

// Called before each step of some milliseconds; false gives up.
typedef bool (*tdn_progress)(void *TDN_NULLABLE context, uint64_t done, uint64_t total);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
