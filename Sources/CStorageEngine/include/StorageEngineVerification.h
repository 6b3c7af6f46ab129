// Checks of a cabinet's files and contents.
#ifndef TODANA_STORAGE_ENGINE_VERIFICATION_H
#define TODANA_STORAGE_ENGINE_VERIFICATION_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

enum { TDN_VERIFIED_PAGES = 4096 };

// Checked pages of a main file: at most TDN_VERIFIED_PAGES, read from the file, not through the mapping.
typedef struct {
  uint64_t page_count;         // pages checked; 0 at the end, and if there is no main file
  uint64_t file_page_count;    // pages of the whole file
  uint64_t damaged_count;      // pages whose content does not match their checksum
  uint8_t damaged[TDN_VERIFIED_PAGES / 8];  // one bit for each page, from the first checked one
  char file[300];
} tdn_verified_part;

#define TDN_CATALOG 0u         // the file that lists the keyspaces
#define TDN_STATES UINT32_MAX  // the file with the keyspaces' states and digests

// Checks pages of a keyspace's main file, or of the cabinet's own file `TDN_CATALOG` or `TDN_STATES`, against their
// checksums. Pages that exist only in a log are not checked, so call `tdn_checkpoint` first. Commits continue
// concurrently; checkpoints wait. Fails with TDN_DAMAGED and the file's name if the file is missing or its checksums
// cannot be read.
bool tdn_verify_part(
  tdn_cabinet *cabinet, uint32_t keyspace, uint64_t first_page, tdn_verified_part *part, tdn_error *error);

// Visits every damaged file other than the data files, with a message: superblock, keys, list of the last commits,
// headers of page checksums. If one of them is damaged, the store can still be read, because the file has another copy
// or is not needed for reading.
bool tdn_verify_companions(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const char *file, const char *message), tdn_error *error);

// Reads every record and accepts the current contents as the right ones, in one commit. Afterwards scans end without
// TDN_CONTENTS_MISMATCH. Commits continue concurrently. If a record cannot be read, fails with TDN_DAMAGED and accepts
// nothing.
bool tdn_accept_contents(
  tdn_cabinet *cabinet, tdn_progress progress, void *TDN_NULLABLE context, bool *accepted, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
