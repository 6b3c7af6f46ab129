// Copies of a cabinet in use: as a directory, and as a stream.
#ifndef TODANA_STORAGE_ENGINE_BACKUPS_H
#define TODANA_STORAGE_ENGINE_BACKUPS_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// MARK: Copies

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

// MARK: Streams

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

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
