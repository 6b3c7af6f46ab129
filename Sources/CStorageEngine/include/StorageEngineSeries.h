// Series of backups of a cabinet, which share unchanged data.
#ifndef TODANA_STORAGE_ENGINE_SERIES_H
#define TODANA_STORAGE_ENGINE_SERIES_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// A series is a directory of backups of one store (docs/formats/backup-series.md).

typedef struct {
  uint64_t number;             // counted from 1
  uint64_t commit_number;
  uint64_t byte_count;         // size of the store's files
  uint64_t new_byte_count;     // added to the series by the backup
  int64_t milliseconds;        // since 1970, when the backup was finished
  uint8_t store_id[16];
  bool readable;               // false: its manifest is damaged, and only the number is known
} tdn_backup_info;

// Visits every backup in ascending order. Reads the first bytes of each manifest. Visits none if the directory does not
// exist.
bool tdn_series_list(
  const char *path, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const tdn_backup_info *info), tdn_error *error);

typedef struct tdn_series_task tdn_series_task;  // work on a series, in steps; for one thread at a time

typedef struct {
  uint64_t done_byte_count;    // of the store's files, processed so far
  uint64_t byte_count;
  uint64_t new_byte_count;     // written by a backup so far
  uint32_t backup_count;       // number of backups that are verified
  bool done;
} tdn_series_progress;

// A damaged part of a backup.
typedef struct {
  uint64_t number;             // of the backup
  uint64_t offset;             // in the store's file
  uint64_t byte_count;
  char file[300];              // the store's file; empty: the whole backup
  char stored_in[40];          // the damaged file of the series
} tdn_backup_damage;

// Begins a backup of the newest commit. Creates the directory if it does not exist. As for `tdn_backup_open`, no
// checkpoint runs until the task is closed. Fails with TDN_OTHER_STORE, TDN_IN_USE, TDN_NOT_A_STORE, or with
// TDN_DAMAGED if there are manifests and none can be read.
tdn_series_task *TDN_NULLABLE tdn_series_backup_open(
  tdn_cabinet *cabinet, const char *path, uint64_t *commit_number, tdn_error *error);
// Describes the backup that was made or restored, after the task is done.
void tdn_series_task_backup(const tdn_series_task *task, tdn_backup_info *info);

// Begins to compare all pieces of a backup with their checksums; of all backups if `number` is 0.
tdn_series_task *TDN_NULLABLE tdn_series_verify_open(const char *path, uint64_t number, tdn_error *error);
// Begins to write the files of a backup to `target`, which must not exist or be an empty directory. If `number` is 0,
// takes the newest backup.
tdn_series_task *TDN_NULLABLE tdn_series_restore_open(
  const char *path, uint64_t number, const char *target, tdn_error *error);
// Begins to remove all backups except the newest `count`.
tdn_series_task *TDN_NULLABLE tdn_series_prune_open(const char *path, uint64_t count, tdn_error *error);
// Begins to remove one backup. Fails with TDN_NOT_FOUND, or with TDN_INVALID if it is the only one.
tdn_series_task *TDN_NULLABLE tdn_series_remove_open(const char *path, uint64_t number, tdn_error *error);

// Processes the next few megabytes. A verification visits damage. A restore fails with TDN_DAMAGED at the first damaged
// piece.
bool tdn_series_task_next(
  tdn_series_task *task, tdn_series_progress *progress, void *TDN_NULLABLE context,
  void (*TDN_NULLABLE visit)(void *TDN_NULLABLE context, const tdn_backup_damage *damage), tdn_error *error);
// Frees the task. Removes the files that it wrote, unless they are complete.
void tdn_series_task_close(tdn_series_task *task);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
