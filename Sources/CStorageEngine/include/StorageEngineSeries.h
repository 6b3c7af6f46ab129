// Series of backups of a cabinet, which share what did not change.
#ifndef TODANA_STORAGE_ENGINE_SERIES_H
#define TODANA_STORAGE_ENGINE_SERIES_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

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
