// A cabinet: one directory of Kyoto Cabinet files that commit together.
//
// Plain C over the C++ of this target. No C++ exception passes this header, every function that can fail
// fills a `tdn_error`, and every function is safe to call from any thread unless it says otherwise.
//
// Words: a *structure* is a numbered collection of records with a name (a class, the named buffers, an ordered
// tree); it lives in one *data file* at a time. A *row* is a record whose key is a 64-bit row id. A *commit*
// applies a batch wholly or not at all.
#ifndef TODANA_CKYOTOCABINET_H
#define TODANA_CKYOTOCABINET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CSealing.h"

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

// MARK: Errors

typedef enum {
  TDN_OK = 0,
  TDN_IO = 1,                  // a system call failed: see `system_errno`
  TDN_NO_SPACE = 2,            // ENOSPC, EDQUOT or EFBIG
  TDN_NO_PERMISSION = 3,       // EACCES, EPERM or EROFS
  TDN_NOT_FOUND = 4,           // no such directory, and creating it was not asked for
  TDN_NOT_A_STORE = 5,         // the path is a file, or a directory that holds something else
  TDN_NEWER_FORMAT = 6,        // written by a newer version of this library
  TDN_DAMAGED = 7,             // superblock, log, checksum or structure of a file is damaged
  TDN_IN_USE = 8,              // another opener holds the directory: see `process`
  TDN_CONFLICT = 9,            // a record is not what the batch expected: see the commit result
  TDN_LIMIT = 10,              // a key, a value or a batch is over its limit
  TDN_MUST_REOPEN = 11,        // an earlier flush failed: the outcome is unknown until `tdn_reopen`
  TDN_CLOSED = 12,
  TDN_READ_ONLY = 13,
  TDN_NO_MEMORY = 14,
  TDN_NO_STRUCTURE = 15,       // no structure with this id
  TDN_INVALID = 16,            // an argument breaks this header's rules
  TDN_INTERRUPTED = 17,        // the snapshot or scan was ended by `tdn_reopen` or `tdn_close`
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
  TDN_LAST_CODE = TDN_MIGRATION_UNFINISHED,
} tdn_code;

typedef struct {
  int32_t code;                // a `tdn_code`
  int32_t system_errno;        // 0 where no system call failed
  uint32_t structure;          // 0 where none is concerned
  bool has_row;
  uint64_t row;
  int64_t page;                // 4 KiB page of `file`, or -1
  int64_t process;             // process id of the holder (TDN_IN_USE), or 0
  char file[288];              // file name within the directory or a path; empty where none is concerned
  char message[480];           // what went wrong and what can be done, as one English sentence
} tdn_error;

// Called before each step of some milliseconds; false gives up.
typedef bool (*tdn_progress)(void *TDN_NULLABLE context, uint64_t done, uint64_t total);

// MARK: Opening and closing

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
  bool spares_memory;          // of large files little stays in memory for having been read, which takes longer
  bool mends_bits;             // a single wrong bit of what leads to the rest is mended when it is read, and is no error
  int64_t compaction_room;     // bytes on the disk that a compaction may take besides the files, with its log (64 MiB)
  bool resuming_migration;     // plain records are accepted where encrypting or decrypting the store was interrupted
} tdn_options;

void tdn_options_init(tdn_options *options);

typedef struct {
  bool created;
  bool read_only;
  uint8_t store_id[16];
  uint64_t commit_number;          // of the state that was opened
  uint64_t recovered_commits;      // found in the log and carried into the files
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

// MARK: Structures

typedef enum {
  TDN_STRUCTURE_ROWS = 1,      // hash file; keys are row ids
  TDN_STRUCTURE_KEYS = 2,      // hash file; keys are bytes
  TDN_STRUCTURE_TREE = 3,      // B+ tree; keys are bytes, in their lexical order
} tdn_structure_kind;

typedef struct {
  uint32_t id;
  int32_t kind;                // a `tdn_structure_kind`
  const uint8_t *name;         // valid during the callback only
  size_t name_length;
} tdn_structure;

// Visits every known structure, in the order of ids. Opens no data file: a damaged one does not hide the others.
bool tdn_structures(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_structure *structure), tdn_error *error);

// Has single wrong bits of a structure's rows mended, too, until the cabinet is closed, where it was opened so that any are.
bool tdn_mend_records(tdn_cabinet *cabinet, uint32_t structure, tdn_error *error);

// The id of the structure with this kind and name (1 to 65,535 bytes, any values); gives out a new one where there
// is none. A new id becomes durable with the first commit that puts something into it. Ids are never used again.
bool tdn_structure_named(
  tdn_cabinet *cabinet, int32_t kind, const uint8_t *name, size_t name_length, uint32_t *id, tdn_error *error);

// The same with an id of the caller's choice, for copies whose records name each other by ids. Ids below it that are not in
// use are not given out any more. TDN_INVALID where the id, or the name, is in use.
bool tdn_structure_numbered(
  tdn_cabinet *cabinet, uint32_t id, int32_t kind, const uint8_t *name, size_t name_length, tdn_error *error);

// Records of a structure in the newest committed state, or in the snapshot's.
bool tdn_count(tdn_cabinet *cabinet, uint32_t structure, uint64_t *count, tdn_error *error);

// Hands out `count` row ids that were never handed out before; the first goes to `*first`, the rest follow it.
// Row ids start at 1. No lock is held and nothing is written: the counter becomes durable with the next commit.
bool tdn_reserve_rows(tdn_cabinet *cabinet, uint32_t structure, uint64_t count, uint64_t *first, tdn_error *error);

// MARK: Committing

typedef enum {
  TDN_PUT = 1,
  TDN_REMOVE = 2,              // of a record that is not there: a conflict, never a silent no-op
  TDN_ERASE = 3,               // removes the record if there is one; expects TDN_EXPECT_ANY
  TDN_CHECK = 4,               // changes nothing: only its expectation counts, which is not TDN_EXPECT_ANY
  TDN_CLEAR = 5,               // removes all records, however many, at once; has no key, and expects TDN_EXPECT_ANY
} tdn_change_kind;

typedef enum {
  TDN_EXPECT_ANY = 0,          // whatever is there is replaced, or removed
  TDN_EXPECT_ABSENT = 1,
  TDN_EXPECT_TOKEN = 2,        // the record's last 8 bytes, as a little-endian number, are `expected`
} tdn_expectation;

// One change. Changes of one batch are grouped by structure and sorted by key within it (rows as numbers, byte keys
// by their bytes, a key before those that it begins), at most one for each key. TDN_CLEAR comes first of its structure,
// and the other changes of the structure find it empty.
typedef struct {
  uint32_t structure;
  uint8_t kind;                // a `tdn_change_kind`
  uint8_t expectation;         // a `tdn_expectation`
  uint16_t key_length;         // of a byte key; 0 for rows, and for TDN_CLEAR
  uint64_t key;                // the row id, or the offset of a byte key in `bytes`; 0 for TDN_CLEAR
  uint64_t expected;           // token
  uint64_t value;              // offset of the value in `bytes`
  uint64_t value_length;
} tdn_change;

typedef struct {
  uint8_t id[16];              // unique; remembered with the commit
  const tdn_change *TDN_NULLABLE changes;
  size_t change_count;
  const uint8_t *TDN_NULLABLE bytes;
  size_t byte_count;
} tdn_batch;

typedef enum {
  TDN_FULL = 0,                // on disk before the call returns
  TDN_RELAXED = 1,             // in order and never torn; on disk at the next full commit or checkpoint, or within 1 s
  TDN_BULK = 2,                // the same without that second
} tdn_durability;

typedef struct {
  uint64_t commit_number;      // 0 where nothing was applied
  size_t conflict_count;       // how many changes met something else than they expected
  uint64_t *TDN_NULLABLE conflicts;  // their indexes in `changes`; free with `tdn_commit_result_free`
} tdn_commit_result;

// Applies the whole batch, or nothing of it. If the commit meets a damaged page with one wrong bit, it repairs the page. A
// page with more wrong bits stays as it is if only values are damaged, whose own checks find it; else the commit fails with
// TDN_DAMAGED. On TDN_CONFLICT nothing is applied and `result` lists every conflict. A batch that is empty, or changes
// nothing, is no commit: it makes earlier relaxed commits durable, and the number is that of the newest commit. After
// TDN_MUST_REOPEN the outcome is unknown: see `tdn_outcome`.
bool tdn_commit(
  tdn_cabinet *cabinet, const tdn_batch *batch, int32_t durability, tdn_commit_result *result, tdn_error *error);
void tdn_commit_result_free(tdn_commit_result *result);

// The commit number under which the batch with this id was applied, or 0 if it is not among the last 1,024.
bool tdn_outcome(tdn_cabinet *cabinet, const uint8_t *batch_id, uint64_t *commit_number, tdn_error *error);

// Carries everything committed into the main files and empties the logs. Blocks neither readers nor writers for long.
bool tdn_checkpoint(tdn_cabinet *cabinet, tdn_error *error);

// Lets go of the memory of all pages that are as the main files have them. They are read again when they are needed.
bool tdn_release_memory(tdn_cabinet *cabinet, tdn_error *error);

// MARK: Reading

typedef enum {
  TDN_FOUND = 0,
  TDN_ABSENT = 1,
  TDN_RECORD_DAMAGED = 2,      // bytes of this record are damaged, or of what leads to it
} tdn_slice_status;

typedef struct {
  uint64_t row;                // row id (rows only)
  uint64_t offset;             // of the value in the chunk's bytes
  uint64_t length;             // of the value
  uint32_t key_length;         // of a byte key, which stands right before the value; 0 for rows
  int32_t status;              // a `tdn_slice_status`
} tdn_slice;

// Memory of the caller's that a read fills. A read stops when either part is full. If not even one record fits,
// nothing is read, `slice_count` is 0 and `needed` says how many bytes the next record takes.
typedef struct {
  uint8_t *bytes;
  size_t byte_capacity;
  size_t byte_count;
  tdn_slice *slices;
  size_t slice_capacity;
  size_t slice_count;
  size_t needed;
  bool sealed;                 // the records are an encrypted store's: none of them may be a plain one
  bool leaves_out_values;      // set by the caller: reads by row or key find and check records, and give no values
} tdn_chunk;

typedef struct tdn_snapshot tdn_snapshot;  // the state after one commit; reads of it never see a later one
typedef struct tdn_scan tdn_scan;          // a position in a snapshot; used by one thread at a time

// Reads `rows[0..<row_count]` in that order (`slices[i]` answers `rows[i]`) until the chunk is full; `slice_count`
// says how many were answered. `snapshot` null: the newest committed state.
bool tdn_get_rows(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t structure, const uint64_t *rows,
  size_t row_count, tdn_chunk *chunk, tdn_error *error);

// Reads one record by a byte key.
bool tdn_get_key(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t structure, const uint8_t *key,
  size_t key_length, tdn_chunk *chunk, tdn_error *error);

tdn_snapshot *TDN_NULLABLE tdn_snapshot_open(tdn_cabinet *cabinet, tdn_error *error);
uint64_t tdn_snapshot_commit_number(const tdn_snapshot *snapshot);
bool tdn_snapshot_count(tdn_snapshot *snapshot, uint32_t structure, uint64_t *count, tdn_error *error);
// A row id above all rows of the structure; cheap, and not always the least one.
bool tdn_snapshot_row_bound(tdn_snapshot *snapshot, uint32_t structure, uint64_t *bound, tdn_error *error);
// All scans of the snapshot must have been closed before.
void tdn_snapshot_close(tdn_snapshot *snapshot);

// A scan over every record of a rows or keys structure, in the order that is fastest to read.
tdn_scan *TDN_NULLABLE tdn_scan_open(tdn_snapshot *snapshot, uint32_t structure, tdn_error *error);

// A scan over a tree's keys from `lower` (inclusive; null: the first) to `upper` (exclusive; null: the end), in
// ascending order, or in descending order from the other end.
tdn_scan *TDN_NULLABLE tdn_range_open(
  tdn_snapshot *snapshot, uint32_t structure, const uint8_t *TDN_NULLABLE lower, size_t lower_length,
  const uint8_t *TDN_NULLABLE upper, size_t upper_length, bool descending, tdn_error *error);

// About how many records of a tree lie within bounds as those of `tdn_range_open`: exact where these are near each other,
// mostly right by half where not. Takes a few microseconds. `snapshot` null: in the newest committed state.
bool tdn_estimate_range(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t structure, const uint8_t *TDN_NULLABLE lower,
  size_t lower_length, const uint8_t *TDN_NULLABLE upper, size_t upper_length, uint64_t *count, tdn_error *error);

// Fills the chunk with the next records. At the end `slice_count` and `needed` are both 0. Before that, once, in an
// encrypted store, a scan over all records that met no damage throws TDN_CONTENTS_MISMATCH where they are not those that
// were committed. On TDN_DAMAGED the scan of a
// rows or keys structure has passed over a part of the file, named by the error, in which no record can be told: the next
// call goes on behind it. It is reported once.
bool tdn_scan_next(tdn_scan *scan, tdn_chunk *chunk, tdn_error *error);
void tdn_scan_close(tdn_scan *scan);

// MARK: Contents

// The newest commit, once it is durable. With it in `tdn_options`, opening the store succeeds if that commit is its
// newest one or among the 999 before it; otherwise it fails with TDN_ROLLED_BACK where the store is older, or TDN_DIVERGED
// where it is another one, its files are not of one state, or more commits have come since.
bool tdn_get_anchor(tdn_cabinet *cabinet, tdn_anchor *anchor, tdn_error *error);

// Reads every record, and takes what is there for what should be, in one commit: afterwards scans end without
// TDN_CONTENTS_MISMATCH. Commits go on meanwhile. TDN_DAMAGED where a record cannot be read; nothing is accepted then.
bool tdn_accept_contents(
  tdn_cabinet *cabinet, tdn_progress progress, void *TDN_NULLABLE context, bool *accepted, tdn_error *error);

// MARK: Compacting

// Compacts a structure's file, if it would become shorter by more than a twentieth and a page: takes out the space that
// removed and rewritten records left. Commits and reads go on concurrently. A small file is rebuilt, with small neighbouring
// rows packed together; if that is not finished, nothing has changed. If the copy would take more than `compaction_room`
// and a twentieth of the file, records are moved within the file instead, in small commits, and its end is cut off: then
// damaged records stay in place, with TDN_DAMAGED in the end, as do records that are too large for the disk's room, with
// TDN_NO_SPACE.
bool tdn_compact(
  tdn_cabinet *cabinet, uint32_t structure, tdn_progress progress, void *TDN_NULLABLE context, bool *compacted,
  tdn_error *error);

typedef struct {
  uint64_t file_byte_count;    // as of the newest commit; 0 where there is no file yet
  uint64_t needed_byte_count;  // about what the file would be long if it were rebuilt now; not more than it is
} tdn_space;

// How much a structure's file could be made shorter. Looks at the head of every record. TDN_INTERRUPTED after giving up.
bool tdn_get_space(
  tdn_cabinet *cabinet, uint32_t structure, tdn_progress progress, void *TDN_NULLABLE context, tdn_space *space,
  tdn_error *error);

// MARK: Looking inside

enum { TDN_VERIFIED_PAGES = 4096 };

// Up to so many pages of a main file, read anew: from the file, not through a mapping.
typedef struct {
  uint64_t page_count;         // pages that were looked at; 0 at the end, and where there is no main file
  uint64_t file_page_count;    // of the whole file
  uint64_t damaged_count;      // pages whose content does not match their checksum
  uint8_t damaged[TDN_VERIFIED_PAGES / 8];  // a bit for each page from the first on
  char file[300];
} tdn_verified_part;

#define TDN_CATALOG 0u         // the file that lists the structures
#define TDN_STATES UINT32_MAX  // the file that says what they contain

// Checks pages of a structure's main file, or of one of the cabinet's own, against their checksums. What stands in a log only
// is not looked at, so a checkpoint should come first. Commits go on meanwhile, checkpoints wait. TDN_DAMAGED with the
// file's name where it is missing or its checksums cannot be read.
bool tdn_verify_part(
  tdn_cabinet *cabinet, uint32_t structure, uint64_t first_page, tdn_verified_part *part, tdn_error *error);

// Visits every file beside the data files that is not as it was written, with what is wrong: superblock, keys, list of the last
// commits, heads of page checksums. Each has another copy, or is read all the same.
bool tdn_verify_companions(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const char *file, const char *message), tdn_error *error);

typedef struct {
  uint64_t commits;            // since opening
  uint64_t log_bytes;          // written to the logs since opening
  uint64_t direct_bytes;       // written straight to the main files by large commits
  uint64_t flushes;            // of the log
  uint64_t checkpoints;
  uint64_t checkpoint_bytes;   // carried into the main files
  uint64_t private_bytes;      // pages changed since the last checkpoint, now
  uint64_t live_log_bytes;     // in the logs, now
  uint64_t growths;            // data files rebuilt with more buckets
  uint64_t compactions;        // data files that were compacted
  uint32_t open_files;         // data files open now
} tdn_statistics;

bool tdn_get_statistics(tdn_cabinet *cabinet, tdn_statistics *statistics, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#include "CKyotoCabinetBackups.h"
#include "CKyotoCabinetKeys.h"
#include "CKyotoCabinetSalvage.h"
#include "CKyotoCabinetSpill.h"

#endif
