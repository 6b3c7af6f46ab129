// Writes down what this process does to the files of one directory, for `power_failure_replay` (Tests/CPowerFailure).
//
// Like faults, it takes the place of the C library's functions, so that what is written down is what the program asked
// the system for.
#ifndef TODANA_CRECORDING_H
#define TODANA_CRECORDING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// From now on, every operation on the directory's files goes to the log, a file elsewhere. False where it cannot be
// written, or nothing can be recorded here. Once in a process.
bool recording_start(const char *directory, const char *log);

// Operations so far.
int64_t recording_count(void);

// Whether all of them are in the log.
bool recording_stop(void);

#ifdef __cplusplus
}
#endif

#endif
