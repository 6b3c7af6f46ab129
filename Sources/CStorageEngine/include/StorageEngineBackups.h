// Backups of a cabinet in use: as a directory, and as a stream.
#ifndef TODANA_STORAGE_ENGINE_BACKUPS_H
#define TODANA_STORAGE_ENGINE_BACKUPS_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// MARK: Copies

typedef struct tdn_backup tdn_backup;      // a copy that is being made; for one thread at a time

// Begins to copy the newest commit to `path`, which must not exist or be an empty directory. No checkpoint runs until
// the backup is closed, so the log grows. Fails with TDN_INVALID for TDN_STORAGE_MEMORY.
tdn_backup *TDN_NULLABLE tdn_backup_open(
  tdn_cabinet *cabinet, const char *path, uint64_t *commit_number, uint64_t *byte_count, tdn_error *error);
// Copies the next few megabytes. Sets `*copied` to the bytes copied so far. When `*done` is set, the copy is at `path`,
// is durable, and can be opened as a store. Fails with TDN_INTERRUPTED after the cabinet was closed or reopened.
bool tdn_backup_next(tdn_backup *backup, uint64_t *copied, bool *done, tdn_error *error);
// Frees the backup. Removes the copy unless it is complete.
void tdn_backup_close(tdn_backup *backup);
// Renames a directory whose content is complete and durable. Returns when the new name is durable, too.
bool tdn_put_in_place(const char *from, const char *to, tdn_error *error);

// MARK: Streams

typedef struct tdn_backup_reader tdn_backup_reader;  // for one thread at a time
typedef struct {
  uint64_t commit_number;
  uint64_t file_count;
  uint64_t byte_count;  // of all files
} tdn_backup_summary;
// One piece of the stream. Files come one after another, each in ascending order of offsets. An empty file comes as one
// piece of no bytes.
typedef struct {
  const char *TDN_NULLABLE file;  // its name, valid until the reader is closed; null after the last file
  uint64_t file_byte_count;
  uint64_t offset;                // in the file; 0 in its first piece
  const void *TDN_NULLABLE bytes;  // valid until the next call
  size_t byte_count;
} tdn_backup_piece;

// Begins to read the files of the newest commit. Later commits are not part of the stream. No checkpoint runs until the
// reader is closed, so the log grows. Fails with TDN_INVALID for TDN_STORAGE_MEMORY.
tdn_backup_reader *TDN_NULLABLE tdn_backup_reader_open(
  tdn_cabinet *cabinet, tdn_backup_summary *summary, tdn_error *error);
// Reads the next piece. Fails with TDN_INTERRUPTED after the cabinet was closed or reopened.
bool tdn_backup_reader_next(tdn_backup_reader *reader, tdn_backup_piece *piece, tdn_error *error);
void tdn_backup_reader_close(tdn_backup_reader *reader);

typedef struct tdn_backup_writer tdn_backup_writer;  // for one thread at a time
// Begins to write a store from streamed files at `path`, which must not exist or be an empty directory. The stream is
// not trusted.
tdn_backup_writer *TDN_NULLABLE tdn_backup_writer_open(const char *path, tdn_error *error);
// Begins a file. Fails with TDN_DAMAGED if no file of a store has this name, or if the name came before.
bool tdn_backup_writer_begin(tdn_backup_writer *writer, const char *name, tdn_error *error);
// Appends bytes to the current file.
bool tdn_backup_writer_write(tdn_backup_writer *writer, const void *bytes, size_t byte_count, tdn_error *error);
// Renames the store's directory to its final name, and makes it durable. Fails with TDN_DAMAGED if the files are not a
// store, or with TDN_NEWER_FORMAT.
bool tdn_backup_writer_finish(tdn_backup_writer *writer, tdn_error *error);
// Frees the writer. Removes the written files unless `tdn_backup_writer_finish` has renamed the store.
void tdn_backup_writer_close(tdn_backup_writer *writer);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
