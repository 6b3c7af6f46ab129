// Reading of records: single reads, snapshots and scans.
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
  TDN_RECORD_DAMAGED = 2,      // the record, or the data that lead to it, are damaged
} tdn_slice_status;

typedef struct {
  uint64_t row;                // rows only
  uint64_t offset;             // offset of the value in the chunk's bytes
  uint64_t length;             // length of the value
  uint32_t key_length;         // length of the byte key directly before the value; 0 for rows
  int32_t status;              // a `tdn_slice_status`
} tdn_slice;

// The caller's memory, which a read fills. A read stops when either part is full. If not even one record fits, nothing
// is read: `slice_count` is 0, and `needed` is the number of bytes that the next record takes.
typedef struct {
  uint8_t *bytes;
  size_t byte_capacity;
  size_t byte_count;
  tdn_slice *slices;
  size_t slice_capacity;
  size_t slice_count;
  size_t needed;
  bool sealed;                 // the records come from an encrypted store: a plain record is an error
  bool leaves_out_values;      // set by the caller: reads by row or key check records, and return no values
} tdn_chunk;

typedef struct tdn_snapshot tdn_snapshot;  // the state after one commit; later commits do not change it
typedef struct tdn_scan tdn_scan;          // a position in a snapshot; for one thread at a time

// Reads the rows `rows[0..<row_count]` in that order until the chunk is full; `slices[i]` is the result for `rows[i]`.
// `slice_count` is the number of rows that were read. Without a snapshot, reads the newest committed state.
bool tdn_get_rows(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint64_t *rows,
  size_t row_count, tdn_chunk *chunk, tdn_error *error);

// Reads one record by its byte key.
bool tdn_get_key(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint8_t *key,
  size_t key_length, tdn_chunk *chunk, tdn_error *error);

// Opens a snapshot of the newest commit.
tdn_snapshot *TDN_NULLABLE tdn_snapshot_open(tdn_cabinet *cabinet, tdn_error *error);
uint64_t tdn_snapshot_commit_number(const tdn_snapshot *snapshot);
bool tdn_snapshot_count(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *count, tdn_error *error);
// Returns a row id above all rows of the keyspace. Cheap, and not always the lowest such id.
bool tdn_snapshot_row_bound(tdn_snapshot *snapshot, uint32_t keyspace, uint64_t *bound, tdn_error *error);
// Closes the snapshot, all scans of which must have been closed before.
void tdn_snapshot_close(tdn_snapshot *snapshot);

// Opens a scan over all records of a keyspace of rows or keys, in the order in which they are read fastest.
tdn_scan *TDN_NULLABLE tdn_scan_open(tdn_snapshot *snapshot, uint32_t keyspace, tdn_error *error);

// Opens a scan over a tree's keys from `lower` (inclusive; null: the first) to `upper` (exclusive; null: the end). The
// order is ascending, or descending from the upper end.
tdn_scan *TDN_NULLABLE tdn_range_open(
  tdn_snapshot *snapshot, uint32_t keyspace, const uint8_t *TDN_NULLABLE lower, size_t lower_length,
  const uint8_t *TDN_NULLABLE upper, size_t upper_length, bool descending, tdn_error *error);

// Estimates the number of a tree's records within bounds as for `tdn_range_open`. Usually exact if the bounds are close
// together; otherwise mostly off by less than half. Takes a few microseconds. Without a snapshot, uses the newest
// committed state.
bool tdn_estimate_range(
  tdn_cabinet *cabinet, tdn_snapshot *TDN_NULLABLE snapshot, uint32_t keyspace, const uint8_t *TDN_NULLABLE lower,
  size_t lower_length, const uint8_t *TDN_NULLABLE upper, size_t upper_length, uint64_t *count, tdn_error *error);

// Fills the chunk with the next records. At the end both `slice_count` and `needed` are 0.
//
// In an encrypted store, a scan over all records that met no damage compares them with the committed contents before it
// ends. It fails once with TDN_CONTENTS_MISMATCH if they differ.
//
// On TDN_DAMAGED, the scan of a keyspace of rows or keys has skipped a part of the file in which no record can be
// recognized. The error names the part. It is reported once, and the next call continues after it.
bool tdn_scan_next(tdn_scan *scan, tdn_chunk *chunk, tdn_error *error);
void tdn_scan_close(tdn_scan *scan);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
