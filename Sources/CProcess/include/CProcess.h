// The process itself, as plain C: its arguments, its standard descriptors, its signals, and the commands that it starts.
//
// Functions that can fail return an error as a negative number (-ENOENT).
#ifndef TODANA_CPROCESS_H
#define TODANA_CPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The arguments that the process was started with, and a null at their end; the first one is the program's name. Null if
// the C library does not pass them to constructors. Swift reads them from /proc, which a chroot may lack.
char *const *tdp_arguments(void);

// Occupies each of the descriptors 0, 1 and 2 that is closed, so that no file opened later gets its number: a message
// would be written into that file. Reading or writing an occupied descriptor fails with EBADF, as if it were closed.
void tdp_occupy_standard_descriptors(void);

// Writes all of the bytes. Fails with -EPIPE if a pipe has no reader; no signal is raised.
int tdp_write_without_signal(int file, const uint8_t *bytes, size_t byte_count);

// Whether the process ignores a signal: `nohup` and shells have it ignore some before they start it.
bool tdp_ignores_signal(int number);

// Ignores SIGXFSZ: writing beyond the limit of `ulimit -f` then fails with EFBIG rather than ending the process.
void tdp_ignore_file_size_signal(void);

// The address space that the process may use (ulimit -v), in bytes; -1 if it is not limited.
int64_t tdp_address_space_limit(void);

// Has all threads allocate from one heap: each further one of the C library reserves 64 MiB of address space.
void tdp_use_one_heap(void);

// Starts a program, which is looked for in PATH, with a pipe as its standard output.
//
// `arguments` ends with a null; the first one names the program. The program has no standard input if `has_input` is
// false. `*output` is the end of the pipe to read from. Returns the process id.
pid_t tdp_start(char *const *arguments, bool has_input, int *output);

// Looks whether a child has ended, without waiting. Returns 1 if it has, and `*status` is as waitpid gives it; 0 if not.
int tdp_child_status(pid_t child, int *status);

#ifdef __cplusplus
}
#endif

#endif
