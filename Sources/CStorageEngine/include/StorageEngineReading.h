// Reads of records: one by one, in snapshots, and in scans.
#ifndef TODANA_STORAGE_ENGINE_READING_H
#define TODANA_STORAGE_ENGINE_READING_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

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
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint64_t *rows,
  size_t row_count, tdn_chunk *chunk, tdn_error *error);

// Reads one record by a byte key.
bool tdn_get_key(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint8_t *key,
  size_t key_length, tdn_chunk *chunk, tdn_error *error);

tdn_snapshot *TDN_NULLABLE tdn_snapshot_open(tdn_cabinet *cabinet, tdn_error *error);
uint64_t tdn_snapshot_commit_number(const tdn_snapshot *snapshot);
bool tdn_snapshot_count(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *count, tdn_error *error);
// A row id above all rows of the keyspace; cheap, and not always the least one.
bool tdn_snapshot_row_bound(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *bound, tdn_error *error);
// All scans of the snapshot must have been closed before.
void tdn_snapshot_close(tdn_snapshot *snapshot);

// A scan over every record of a rows or keys keyspace, in the order that is fastest to read.
tdn_scan *TDN_NULLABLE tdn_scan_open(tdn_snapshot *snapshot, uint32_t keyspace, tdn_error *error);

// A scan over a tree's keys from `lower` (inclusive; null: the first) to `upper` (exclusive; null: the end), in
// ascending order, or in descending order from the other end.
tdn_scan *TDN_NULLABLE tdn_range_open(
  tdn_snapshot *snapshot, uint32_t keyspace, const uint8_t *TDN_NULLABLE lower, size_t lower_length,
  const uint8_t *TDN_NULLABLE upper, size_t upper_length, bool descending, tdn_error *error);

// About how many records of a tree lie within bounds as those of `tdn_range_open`: exact where these are near each other,
// mostly right by half where not. Takes a few microseconds. `snapshot` null: in the newest committed state.
bool tdn_estimate_range(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint8_t *TDN_NULLABLE lower,
  size_t lower_length, const uint8_t *TDN_NULLABLE upper, size_t upper_length, uint64_t *count, tdn_error *error);

// Fills the chunk with the next records. At the end `slice_count` and `needed` are both 0. Before that, once, in an
// encrypted store, a scan over all records that met no damage throws TDN_CONTENTS_MISMATCH where they are not those that
// were committed. On TDN_DAMAGED the scan of a
// rows or keys keyspace has passed over a part of the file, named by the error, in which no record can be told: the next
// call goes on behind it. It is reported once.
bool tdn_scan_next(tdn_scan *scan, tdn_chunk *chunk, tdn_error *error);
void tdn_scan_close(tdn_scan *scan);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
