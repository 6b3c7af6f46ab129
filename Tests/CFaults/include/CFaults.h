// Injects faults of the system into the process that links this target: the n-th call of a kind fails.
//
// Replaces `operator new` and functions of the C library, for calls from the program itself. All calls of the engine to
// the system are thus covered. Calls that libraries make for themselves pass through.
#ifndef TODANA_CFAULTS_H
#define TODANA_CFAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "CForking.h"
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
  fault_allocate,  // operator new; `error` is ignored
  fault_thread,    // pthread_create
  fault_seek,      // lseek
  fault_status,    // fstat
  fault_list,      // getdents64
} fault_kind;

// The error for `fault_write` that makes a write store half of its bytes instead of failing.
enum { fault_short_write = -1 };

// Makes the `nth` call of the kind from now on, counted from 1, fail with the error. If `lasting`, all later calls
// fail, too.
void faults_arm(fault_kind kind, int64_t nth, int32_t error, bool lasting);

// Makes calls fail as `faults_arm` does, but only for files beneath a directory. Supports the kinds read, seek, status
// and list, and open by openat or openat2.
void faults_arm_beneath(fault_kind kind, int64_t nth, int32_t error, bool lasting, const char *directory);

// Lets all further calls succeed, but continues to count them.
void faults_relent(void);

// Stops failing and counting calls. Returns the number of calls of the kind.
int64_t faults_disarm(void);

#ifdef __cplusplus
}
#endif

#endif
