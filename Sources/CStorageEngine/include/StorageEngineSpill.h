// Temporary files for data that do not fit into memory.
#ifndef TODANA_STORAGE_ENGINE_SPILL_H
#define TODANA_STORAGE_ENGINE_SPILL_H

#include "StorageEngineErrors.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

// A buffer of bytes that are appended once and read back later. It is an unlinked temporary file, made at the first
// append in the directory that TMPDIR names, or in /tmp. Its content is sealed under a key that is never stored. For
// one thread at a time.
typedef struct tdn_spill tdn_spill;

// Returns null if there is no memory.
tdn_spill *TDN_NULLABLE tdn_spill_open(void);
// Appends bytes. Sets `*position` to their place, from which they are read in one piece.
bool tdn_spill_append(
  tdn_spill *spill, const uint8_t *bytes, size_t length, uint64_t *position, tdn_error *error);
// Reads bytes from a position that `tdn_spill_append` has set.
bool tdn_spill_read(const tdn_spill *spill, uint64_t position, uint8_t *buffer, size_t length, tdn_error *error);
void tdn_spill_close(tdn_spill *spill);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
