// Commits: batches of changes.
#ifndef TODANA_STORAGE_ENGINE_COMMIT_H
#define TODANA_STORAGE_ENGINE_COMMIT_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef enum {
  TDN_PUT = 1,
  TDN_REMOVE = 2,              // of a record that is not there: a conflict, never a silent no-op
  TDN_ERASE = 3,               // removes the record if there is one; expects TDN_EXPECT_ANY
  TDN_CHECK = 4,               // changes nothing: only its expectation counts, which is not TDN_EXPECT_ANY
  TDN_CLEAR = 5,               // removes all records, however many, at once; has no key, and expects TDN_EXPECT_ANY
  TDN_CHECK_RANGE = 6,         // of a tree: changes nothing, and expects at most so many keys within bounds
  TDN_PUT_NUMBERED = 7,        // of a tree: puts a new key, which begins with the number of the commit
  TDN_DROP = 8,                // removes the keyspace: its records, its files, its name and its number
  TDN_ADOPT = 9,               // a keyspace that was loaded aside joins the others (StorageEngineLoading.h)
} tdn_change_kind;

typedef enum {
  TDN_EXPECT_ANY = 0,          // whatever is there is replaced, or removed
  TDN_EXPECT_ABSENT = 1,
  TDN_EXPECT_TOKEN = 2,        // the record's last 8 bytes, as a little-endian number, are `expected`
  TDN_EXPECT_PRESENT = 3,      // there is a record, whatever its value
  TDN_EXPECT_AT_MOST = 4,      // TDN_CHECK_RANGE alone: there are at most `expected` keys
} tdn_expectation;

// One change. Changes of one batch are grouped by keyspace and sorted by key within it (rows as numbers, byte keys
// by their bytes, a key before those that it begins), at most one for each key. TDN_CLEAR comes first of its keyspace,
// and the other changes of the keyspace find it empty. TDN_CHECK_RANGE follows, in the order of lower bounds, which may be
// equal; TDN_PUT_NUMBERED comes last, in the order of the keys that it adds. TDN_DROP and TDN_ADOPT are the only change of
// their keyspace. All expectations are those of the state before the batch.
//
// TDN_CHECK_RANGE: `key` is the lower bound, inclusive; `value` the upper one, exclusive; no bytes leave a side unbounded.
// It reads as many keys as are allowed, and one more. TDN_PUT_NUMBERED: the key is the commit's number in 8 bytes, most
// significant first, and the bytes of `key`, which may be none.
typedef struct {
  uint32_t keyspace;
  uint8_t kind;                // a `tdn_change_kind`
  uint8_t expectation;         // a `tdn_expectation`
  uint16_t key_length;         // of a byte key; 0 for rows, and for TDN_CLEAR, TDN_DROP and TDN_ADOPT
  uint64_t key;                // the row id, or the offset of a byte key in `bytes`; 0 for those three
  uint64_t expected;           // token, or number of keys
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

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
