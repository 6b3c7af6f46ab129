// Maintenance of a cabinet's files and memory, and numbers about them.
#ifndef TODANA_STORAGE_ENGINE_MAINTENANCE_H
#define TODANA_STORAGE_ENGINE_MAINTENANCE_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// Carries everything committed into the main files and empties the logs. Blocks neither readers nor writers for long.
bool tdn_checkpoint(tdn_cabinet *cabinet, tdn_error *error);

// Lets go of the memory of all pages that are as the main files have them. They are read again when they are needed.
bool tdn_release_memory(tdn_cabinet *cabinet, tdn_error *error);

// Compacts a keyspace's file, if it would become shorter by more than a twentieth and a page: takes out the space that
// removed and rewritten records left. Commits and reads go on concurrently. A small file is rebuilt, with small neighbouring
// rows packed together; if that is not finished, nothing has changed. If the copy would take more than `compaction_room`
// and a twentieth of the file, records are moved within the file instead, in small commits, and its end is cut off: then
// damaged records stay in place, with TDN_DAMAGED in the end, as do records that are too large for the disk's room, with
// TDN_NO_SPACE.
bool tdn_compact(
  tdn_cabinet *cabinet, uint32_t keyspace, tdn_progress progress, void *TDN_NULLABLE context, bool *compacted,
  tdn_error *error);

typedef struct {
  uint64_t file_byte_count;    // as of the newest commit; 0 where there is no file yet
  uint64_t needed_byte_count;  // about what the file would be long if it were rebuilt now; not more than it is
} tdn_space;

// How much a keyspace's file could be made shorter. Looks at the head of every record. TDN_INTERRUPTED after giving up.
bool tdn_get_space(
  tdn_cabinet *cabinet, uint32_t keyspace, tdn_progress progress, void *TDN_NULLABLE context, tdn_space *space,
  tdn_error *error);

typedef struct {
  uint64_t commits;            // since opening
  uint64_t log_bytes;          // written to the logs since opening
  uint64_t direct_bytes;       // written straight to the main files by large commits
  uint64_t flushes;            // of the log
  uint64_t checkpoints;
  uint64_t checkpoint_bytes;   // written back to the main files
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

#endif
