// Faults of the system, in the process that links this: the n-th call of a kind fails.
//
// Takes the place of the C library's functions for calls that come from the program itself, and of `operator new`, so
// that nothing between the engine and the system is left out. What libraries call for themselves goes through.
#ifndef TODANA_CFAULTS_H
#define TODANA_CFAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "CRecording.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  fault_write,     // pwrite
  fault_read,      // pread
  fault_flush,     // fdatasync, fsync, syncfs
  fault_resize,    // ftruncate, posix_fallocate
  fault_open,      // open, openat, openat2
  fault_rename,    // rename, renameat
  fault_remove,    // unlinkat
  fault_map,       // mmap
  fault_allocate,  // operator new; the error does not matter
  fault_thread,    // pthread_create
  fault_seek,      // lseek
  fault_status,    // fstat
  fault_list,      // getdents64
} fault_kind;

// What a write does instead of failing: it writes half of the bytes.
enum { fault_short_write = -1 };

// The `nth` call of the kind from now on, counted from 1, fails with the error; `lasting`: all after it, too.
void faults_arm(fault_kind kind, int64_t nth, int32_t error, bool lasting);

// The same, of calls for files beneath a directory: kinds read, seek, status, list, and open by openat or openat2.
void faults_arm_beneath(fault_kind kind, int64_t nth, int32_t error, bool lasting, const char *directory);

// No further call fails; they are counted still.
void faults_relent(void);

// Nothing fails or counts any more. Returns how many calls of the kind there were.
int64_t faults_disarm(void);

#ifdef __cplusplus
}
#endif

#endif
