// Checks of a cabinet's files and contents.
#ifndef TODANA_STORAGE_ENGINE_VERIFICATION_H
#define TODANA_STORAGE_ENGINE_VERIFICATION_H

#include "StorageEngineOpening.h"

#ifdef __cplusplus
extern "C" {
#endif

TDN_ASSUME_NONNULL_BEGIN

enum { TDN_VERIFIED_PAGES = 4096 };

// Up to so many pages of a main file, read anew: from the file, not through a mapping.
typedef struct {
  uint64_t page_count;         // pages that were looked at; 0 at the end, and where there is no main file
  uint64_t file_page_count;    // of the whole file
  uint64_t damaged_count;      // pages whose content does not match their checksum
  uint8_t damaged[TDN_VERIFIED_PAGES / 8];  // a bit for each page from the first on
  char file[300];
} tdn_verified_part;

#define TDN_CATALOG 0u         // the file that lists the keyspaces
#define TDN_STATES UINT32_MAX  // the file that says what they contain

// Checks pages of a keyspace's main file, or of one of the cabinet's own, against their checksums. What stands in a log only
// is not looked at, so a checkpoint should come first. Commits go on meanwhile, checkpoints wait. TDN_DAMAGED with the
// file's name where it is missing or its checksums cannot be read.
bool tdn_verify_part(
  tdn_cabinet *cabinet, uint32_t keyspace, uint64_t first_page, tdn_verified_part *part, tdn_error *error);

// Visits every file beside the data files that is not as it was written, with what is wrong: superblock, keys, list of the last
// commits, heads of page checksums. Each has another copy, or is read all the same.
bool tdn_verify_companions(
  tdn_cabinet *cabinet, void *TDN_NULLABLE context,
  void (*visit)(void *TDN_NULLABLE context, const char *file, const char *message), tdn_error *error);

// Reads every record, and takes what is there for what should be, in one commit: afterwards scans end without
// TDN_CONTENTS_MISMATCH. Commits go on meanwhile. TDN_DAMAGED where a record cannot be read; nothing is accepted then.
bool tdn_accept_contents(
  tdn_cabinet *cabinet, tdn_progress progress, void *TDN_NULLABLE context, bool *accepted, tdn_error *error);

TDN_ASSUME_NONNULL_END

#ifdef __cplusplus
}
#endif

#endif
