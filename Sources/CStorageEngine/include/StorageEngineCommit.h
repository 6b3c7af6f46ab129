// Commits: batches of changes that are applied all together or not at all.
#ifndef TODANA_STORAGE_ENGINE_COMMIT_H
#define TODANA_STORAGE_ENGINE_COMMIT_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

typedef enum {
  TDN_PUT = 1,
  TDN_REMOVE = 2,              // removes a record; a conflict if it is absent, never a silent no-op
  TDN_ERASE = 3,               // removes the record if there is one; expects TDN_EXPECT_ANY
  TDN_CHECK = 4,               // changes nothing, checks its expectation only, which is not TDN_EXPECT_ANY
  TDN_CLEAR = 5,               // removes all records of the keyspace at once; has no key, and expects TDN_EXPECT_ANY
  TDN_CHECK_RANGE = 6,         // trees only: changes nothing, expects at most `expected` keys within bounds
  TDN_PUT_NUMBERED = 7,        // trees only: puts a new key that begins with the number of the commit
  TDN_DROP = 8,                // removes the keyspace: its records, its files, its name and its number
  TDN_ADOPT = 9,               // adds a keyspace that was loaded (StorageEngineLoading.h)
  TDN_REMOVE_RANGE = 10,       // trees only: removes all keys within bounds, of which it expects exactly `expected`
} tdn_change_kind;

typedef enum {
  TDN_EXPECT_ANY = 0,          // any record, or none, may be present
  TDN_EXPECT_ABSENT = 1,
  TDN_EXPECT_TOKEN = 2,        // the record's last 8 bytes, as a little-endian number, are `expected`
  TDN_EXPECT_PRESENT = 3,      // there is a record, with any value
  TDN_EXPECT_AT_MOST = 4,      // TDN_CHECK_RANGE only: there are at most `expected` keys
  TDN_EXPECT_EXACTLY = 5,      // TDN_REMOVE_RANGE only: there are exactly `expected` keys
} tdn_expectation;

// One change of a batch. The changes are grouped by keyspace, and sorted by key within it. Rows are sorted as numbers.
// Byte keys are sorted by their bytes, with a prefix before its extensions. Each key has at most one change. All
// expectations concern the state before the batch.
//
// TDN_CLEAR is the first change of its keyspace; the other changes find the keyspace empty. TDN_CHECK_RANGE changes
// come next, in the order of their lower bounds, which may be equal; then TDN_REMOVE_RANGE changes, in the order of
// their bounds, which do not overlap. TDN_PUT_NUMBERED changes come last, in the order of the keys that they add.
// TDN_DROP and TDN_ADOPT are the only change of their keyspace.
//
// TDN_CHECK_RANGE and TDN_REMOVE_RANGE: `key` is the lower bound, inclusive, and `value` the upper one, exclusive. An
// empty bound leaves its side open. The check reads at most `expected` + 1 keys. No other change of the batch may put or
// remove a key within the bounds of TDN_REMOVE_RANGE.
//
// TDN_PUT_NUMBERED: the stored key is the commit's number in 8 bytes, most significant first, followed by the bytes of
// `key`, which may be empty.
typedef struct {
  uint32_t keyspace;
  uint8_t kind;                // a `tdn_change_kind`
  uint8_t expectation;         // a `tdn_expectation`
  uint16_t key_length;         // length of a byte key; 0 for rows, TDN_CLEAR, TDN_DROP and TDN_ADOPT
  uint64_t key;                // row id, or offset of a byte key in `bytes`; 0 for TDN_CLEAR, TDN_DROP, TDN_ADOPT
  uint64_t expected;           // token, or number of keys
  uint64_t value;              // offset of the value in `bytes`
  uint64_t value_length;
} tdn_change;

typedef struct {
  uint8_t id[16];              // unique; stored with the commit, see `tdn_outcome`
  const tdn_change *TDN_NULLABLE changes;
  size_t change_count;
  const uint8_t *TDN_NULLABLE bytes;
  size_t byte_count;
} tdn_batch;

typedef enum {
  TDN_FULL = 0,                // on disk before the call returns
  TDN_RELAXED = 1,             // in order and never torn; on disk at the next full commit or checkpoint, or within 1 s
  TDN_BULK = 2,                // like TDN_RELAXED, without the limit of 1 s
} tdn_durability;

typedef struct {
  uint64_t commit_number;      // 0 if nothing was applied
  size_t conflict_count;       // number of changes whose expectation was not met
  uint64_t *TDN_NULLABLE conflicts;  // their indexes in `changes`; free with `tdn_commit_result_free`
} tdn_commit_result;

// Applies the whole batch or none of it. On TDN_CONFLICT nothing is applied, and `result` lists every conflict.
//
// If the commit meets a damaged page with one wrong bit, it repairs the page. A page with more wrong bits is left as it
// is if only values are damaged, because each value has its own check. Otherwise the commit fails with TDN_DAMAGED.
//
// A batch that is empty or changes nothing does not count as a commit. It makes earlier relaxed commits durable, and
// returns the number of the newest commit. After TDN_MUST_REOPEN the outcome is unknown: call `tdn_outcome` after
// reopening.
bool tdn_commit(
  tdn_cabinet *cabinet, const tdn_batch *batch, int32_t durability, tdn_commit_result *result, tdn_error *error);
void tdn_commit_result_free(tdn_commit_result *result);

// Finds the number of the commit that applied the batch with this id. Sets 0 if it is not among the last 1,024 commits.
bool tdn_outcome(tdn_cabinet *cabinet, const uint8_t *batch_id, uint64_t *commit_number, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
