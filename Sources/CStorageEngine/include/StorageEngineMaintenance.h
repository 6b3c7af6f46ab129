// Maintenance of a cabinet's files and memory, and statistics.
#ifndef TODANA_STORAGE_ENGINE_MAINTENANCE_H
#define TODANA_STORAGE_ENGINE_MAINTENANCE_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// Writes everything committed back to the main files and empties the logs. Blocks readers and writers only briefly.
bool tdn_checkpoint(tdn_cabinet *cabinet, tdn_error *error);

// Releases the memory of all pages that are unchanged since the main files were written. They are read again when they
// are needed.
bool tdn_release_memory(tdn_cabinet *cabinet, tdn_error *error);

// Compacts a keyspace's file if that makes it shorter by more than a twentieth and a page. Recovers the space of
// removed and rewritten records. Commits and reads continue concurrently.
//
// A file whose copy fits into `compaction_room`, or into a twentieth of the file, is rebuilt, with small neighbouring
// rows packed together. A file that packing makes much shorter is rebuilt, too, if the disk has room for two copies. An
// interrupted rebuild changes nothing.
//
// In any other file records are moved, in small commits, and the end of the file is cut off. Damaged records stay in
// place, and the call fails with TDN_DAMAGED at the end. Records too large for the free disk space stay, too, and the
// call then fails with TDN_NO_SPACE.
bool tdn_compact(
  tdn_cabinet *cabinet, uint32_t keyspace, tdn_progress progress, void *TDN_NULLABLE context, bool *compacted,
  tdn_error *error);

typedef struct {
  uint64_t file_byte_count;    // as of the newest commit; 0 if there is no file yet
  uint64_t needed_byte_count;  // estimated length after a rebuild; not more than `file_byte_count`
} tdn_space;

// Estimates how much shorter a compaction would make a keyspace's file. Reads the header of every record. Fails with
// TDN_INTERRUPTED if `progress` gave up.
bool tdn_get_space(
  tdn_cabinet *cabinet, uint32_t keyspace, tdn_progress progress, void *TDN_NULLABLE context, tdn_space *space,
  tdn_error *error);

typedef struct {
  uint64_t commits;            // since opening
  uint64_t log_bytes;          // written to the logs since opening
  uint64_t direct_bytes;       // written directly to the main files by large commits
  uint64_t flushes;            // of the log
  uint64_t checkpoints;
  uint64_t checkpoint_bytes;   // written back to the main files
  uint64_t private_bytes;      // pages changed since the last checkpoint, currently
  uint64_t live_log_bytes;     // in the logs, currently
  uint64_t growths;            // data files rebuilt with more buckets
  uint64_t compactions;        // data files compacted
  uint32_t open_files;         // data files currently open
} tdn_statistics;

bool tdn_get_statistics(tdn_cabinet *cabinet, tdn_statistics *statistics, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
