// Hostile files for the storage engine, for fuzzers and the test that replays their corpus (docs/fuzzing.md).
//
// Each call writes a small store to a scratch directory, damages a part of it as the input describes, and uses it
// through CStorageEngine.h only. A call that returns has found nothing; a finding aborts the process.
#ifndef TODANA_CFUZZTARGETS_H
#define TODANA_CFUZZTARGETS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define TDN_FUZZ_NULLABLE _Nullable
#pragma clang assume_nonnull begin
#else
#define TDN_FUZZ_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The part of a store that is damaged.
typedef enum {
  TDN_FUZZ_SUPERBLOCK = 0,
  TDN_FUZZ_CATALOG = 1,
  TDN_FUZZ_REDO_LOG = 2,
  TDN_FUZZ_COMMIT_RING = 3,
  TDN_FUZZ_PAGE_SUMS = 4,
  TDN_FUZZ_HASH_FILE = 5,  // of rows or of byte keys
  TDN_FUZZ_TREE_FILE = 6,
  TDN_FUZZ_STATES = 7,
} tdn_fuzz_part;

void tdn_fuzz_store(tdn_fuzz_part part, const uint8_t *bytes, size_t byte_count);

// Visits seeds: inputs that overwrite a place in the part with the bytes that it already has. A fuzzer derives other
// inputs from them.
void tdn_fuzz_seeds(
  tdn_fuzz_part part, void *TDN_FUZZ_NULLABLE context,
  void (*visit)(void *TDN_FUZZ_NULLABLE context, const uint8_t *bytes, size_t byte_count));

// Run the decoders of encrypted data on the bytes alone, without a store.
void tdn_fuzz_key_file(const uint8_t *bytes, size_t byte_count);
void tdn_fuzz_key_file_seeds(
  void *TDN_FUZZ_NULLABLE context,
  void (*visit)(void *TDN_FUZZ_NULLABLE context, const uint8_t *bytes, size_t byte_count));
void tdn_fuzz_envelope(const uint8_t *bytes, size_t byte_count);

// Runs the decoder of text indexes' segments, their searches and their merging, through CTextIndex.h only.
void tdn_fuzz_text_segment(const uint8_t *bytes, size_t byte_count);
void tdn_fuzz_text_segment_seeds(
  void *TDN_FUZZ_NULLABLE context,
  void (*visit)(void *TDN_FUZZ_NULLABLE context, const uint8_t *bytes, size_t byte_count));

// Recomputes the page checksums of a data file, as an attacker who changes the file can.
void tdn_make_sums_right(const char *directory, const char *name);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
