// The process itself, in plain C: its arguments, standard descriptors, signals, and child processes.
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

// Returns the arguments of the process, followed by a null pointer; the first one is the program's name. Returns null
// if the C library does not pass the arguments to constructors. Swift itself reads the arguments from /proc, which a
// chroot may lack.
char *const *tdp_arguments(void);

// Occupies each of the descriptors 0, 1 and 2 that is closed. Otherwise a file opened later would get its number, and
// messages would be written into that file. Reading or writing an occupied descriptor fails with EBADF, as if it were
// closed.
void tdp_occupy_standard_descriptors(void);

// Writes all bytes. Returns -EPIPE if a pipe has no reader; no signal is raised.
int tdp_write_without_signal(int file, const uint8_t *bytes, size_t byte_count);

// Tests whether the process ignores a signal. `nohup` or a shell may have started the process with ignored signals.
bool tdp_ignores_signal(int number);

// Ignores SIGXFSZ, so that writing beyond the limit of `ulimit -f` fails with EFBIG instead of ending the process.
void tdp_ignore_file_size_signal(void);

// Returns the address space that the process may use (ulimit -v), in bytes; -1 if it is not limited.
int64_t tdp_address_space_limit(void);

// Makes all threads allocate from one heap: the C library reserves 64 MiB of address space for each further one.
void tdp_use_one_heap(void);

// Starts a program, which is looked up in PATH, with a pipe as its standard output.
//
// `arguments` ends with a null pointer; the first argument names the program. If `has_input` is false, the program's
// standard input is empty. `*output` is the read end of the pipe. Returns the process id.
pid_t tdp_start(char *const *arguments, bool has_input, int *output);

// Checks without waiting whether a child has ended. Returns 1 if it has, with `*status` as from waitpid; 0 if it has
// not.
int tdp_child_status(pid_t child, int *status);

#ifdef __cplusplus
}
#endif

#endif
