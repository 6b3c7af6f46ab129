// Copies of a cabinet in use: single ones, and series that share what did not change.
//
// Part of CKyotoCabinet.h, which includes this.
#ifndef TODANA_CKYOTOCABINET_BACKUPS_H
#define TODANA_CKYOTOCABINET_BACKUPS_H

#include "CKyotoCabinet.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// MARK: Backup

typedef struct tdn_backup tdn_backup;      // a copy that is being made; used by one thread at a time

// Begins to copy the newest commit to `path`, where nothing, or an empty directory, may be. Until the backup is closed no
// checkpoint runs, so the log grows. TDN_INVALID for TDN_STORAGE_MEMORY.
tdn_backup *TDN_NULLABLE tdn_backup_open(
  tdn_cabinet *cabinet, const char *path, uint64_t *commit_number, uint64_t *byte_count, tdn_error *error);
// Copies some megabytes; how many bytes are copied by now. At the end, with `done`, the copy is there, durable, and can
// be opened as a store. TDN_INTERRUPTED after closing or reopening the cabinet.
bool tdn_backup_next(tdn_backup *backup, uint64_t *copied, bool *done, tdn_error *error);
// Removes what was copied, unless all of it was.
void tdn_backup_close(tdn_backup *backup);
// Renames a directory that is whole and durable in itself; returns when its new name is durable, too.
bool tdn_put_in_place(const char *from, const char *to, tdn_error *error);

// MARK: Backup as a stream

typedef struct tdn_backup_reader tdn_backup_reader;  // used by one thread at a time
typedef struct {
  uint64_t commit_number;
  uint64_t file_count;
  uint64_t byte_count;  // of all files
} tdn_backup_summary;
// Files come one after the other, each from its begin to its end; an empty one in one piece of no bytes.
typedef struct {
  const char *TDN_NULLABLE file;  // its name, until the reader is closed; null behind the last file
  uint64_t file_byte_count;
  uint64_t offset;                // in the file: where a file begins, 0
  const void *TDN_NULLABLE bytes;  // until the next call
  size_t byte_count;
} tdn_backup_piece;

// Begins to read the files that the newest commit needs; what the cabinet gets meanwhile is not among it. Until the
// reader is closed no checkpoint runs, so the log grows. TDN_INVALID for TDN_STORAGE_MEMORY.
tdn_backup_reader *TDN_NULLABLE tdn_backup_reader_open(
  tdn_cabinet *cabinet, tdn_backup_summary *summary, tdn_error *error);
// TDN_INTERRUPTED after closing or reopening the cabinet.
bool tdn_backup_reader_next(tdn_backup_reader *reader, tdn_backup_piece *piece, tdn_error *error);
void tdn_backup_reader_close(tdn_backup_reader *reader);

typedef struct tdn_backup_writer tdn_backup_writer;  // used by one thread at a time
// Begins to make a store of such files at `path`, where nothing, or an empty directory, may be. What comes may be
// hostile.
tdn_backup_writer *TDN_NULLABLE tdn_backup_writer_open(const char *path, tdn_error *error);
// Begins a file. TDN_DAMAGED for a name that no file of a store has, or that came before.
bool tdn_backup_writer_begin(tdn_backup_writer *writer, const char *name, tdn_error *error);
bool tdn_backup_writer_write(tdn_backup_writer *writer, const void *bytes, size_t byte_count, tdn_error *error);
// The store is there then, durable. TDN_DAMAGED where what came is none, TDN_NEWER_FORMAT.
bool tdn_backup_writer_finish(tdn_backup_writer *writer, tdn_error *error);
// Removes what was written, unless it is in its place.
void tdn_backup_writer_close(tdn_backup_writer *writer);

// MARK: Backup series

// A directory of backups of one store that share what did not change (docs/formats/backup-series.md).

typedef struct {
  uint64_t number;             // from 1
  uint64_t commit_number;
  uint64_t byte_count;         // of the store's files
  uint64_t new_byte_count;     // that the backup added to the series
  int64_t milliseconds;        // since 1970, when it was finished
  uint8_t store_id[16];
  bool readable;               // false: its manifest is damaged, and nothing but the number is known
} tdn_backup_info;

// Visits every backup in the order of numbers; reads the first bytes of each manifest. None where there is no directory.
bool tdn_series_list(
  const char *path, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_backup_info *info), tdn_error *error);

typedef struct tdn_series_task tdn_series_task;  // work on a series, in steps; used by one thread at a time

typedef struct {
  uint64_t done_byte_count;    // of the store's files, as far as they were looked at
  uint64_t byte_count;
  uint64_t new_byte_count;     // written by a backup so far
  uint32_t backup_count;       // that are verified
  bool done;
} tdn_series_progress;

// A part of a backup that is not as it was written.
typedef struct {
  uint64_t number;             // of the backup
  uint64_t offset;             // in the store's file
  uint64_t byte_count;
  char file[300];              // of the store; empty: the whole backup
  char stored_in[40];          // the file of the series
} tdn_backup_damage;

// Begins a backup of the newest commit; makes the directory where there is none. TDN_OTHER_STORE, TDN_IN_USE,
// TDN_NOT_A_STORE, TDN_DAMAGED where none of the manifests that are there can be read. As for `tdn_backup_open`, no
// checkpoint runs until it is closed.
tdn_series_task *TDN_NULLABLE tdn_series_backup_open(
  tdn_cabinet *cabinet, const char *path, uint64_t *commit_number, tdn_error *error);
// The backup that was made or restored, once that is done.
void tdn_series_task_backup(const tdn_series_task *task, tdn_backup_info *info);

// Begins to compare all pieces with their checksums: of one backup, or, with 0, of all.
tdn_series_task *TDN_NULLABLE tdn_series_verify_open(const char *path, uint64_t number, tdn_error *error);
// Begins to write the files of a backup, with 0 the newest one, to `target`, where nothing, or an empty directory, may be.
tdn_series_task *TDN_NULLABLE tdn_series_restore_open(
  const char *path, uint64_t number, const char *target, tdn_error *error);
// Begins to remove all but the newest `count` backups.
tdn_series_task *TDN_NULLABLE tdn_series_prune_open(const char *path, uint64_t count, tdn_error *error);

// Goes on for some megabytes. Verifying visits what is damaged; restoring throws TDN_DAMAGED at the first such piece.
bool tdn_series_task_next(
  tdn_series_task *task, tdn_series_progress *progress, void *TDN_NULLABLE context,
  void (*TDN_NULLABLE visit)(void *TDN_NULLABLE context, const tdn_backup_damage *damage), tdn_error *error);
// Removes what was written, unless all of it was.
void tdn_series_task_close(tdn_series_task *task);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
