// Records the operations of this process on the files of one directory, for `power_failure_replay`
// (Tests/CPowerFailure).
//
// Replaces the C library's functions, as fault injection does, so that the log holds the program's requests to the
// system.
#ifndef TODANA_CRECORDING_H
#define TODANA_CRECORDING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Starts recording every operation on the directory's files to the log, a file outside of it. Returns false if the log
// cannot be written or this system does not support recording. May be called once in a process.
bool recording_start(const char *directory, const char *log);

// Returns the number of operations so far.
int64_t recording_count(void);

// Stops recording. Returns whether all operations are in the log.
bool recording_stop(void);

#ifdef __cplusplus
}
#endif

#endif
