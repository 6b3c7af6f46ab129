// Threads, and the number of forks, in plain C.
#ifndef TODANA_CTHREADS_H
#define TODANA_CTHREADS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Starts a thread that no other thread joins. It receives no signals: they go to the threads of the program. Returns
// false if the system has no thread, because of a limit or for lack of memory.
bool tdt_start_thread(void (*body)(void *context), void *context);

// An address that code of the calling thread has set for functions that it calls; NULL at first. The caller that sets it
// restores the former one.
const void *tdt_context(void);
void tdt_set_context(const void *context);

// The number of forks between the start of the program and this process. It changes only in a child that `fork` or
// `daemon` has made, before they return there. The child has one thread then, so that reading it needs no lock.
extern uint64_t tdt_fork_counter;

// Returns the number of forks. An object that must not be used in a child of the process that made it notes the number,
// and compares it later. A child that is made by a system call, without the C library's `fork`, is not counted.
static inline uint64_t tdt_fork_count(void) { return tdt_fork_counter; }

#ifdef __cplusplus
}
#endif

#endif
