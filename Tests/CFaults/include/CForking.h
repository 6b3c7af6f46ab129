// Forks of this process, which Swift does not import.
#ifndef TODANA_CFORKING_H
#define TODANA_CFORKING_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Forks this process. Returns 0 in the child, and the child's process id in the parent.
pid_t forking_fork(void);

// Continues in a child, as daemon(3) does, and ends this process. Keeps the directory and the standard descriptors.
int forking_daemon(void);

#ifdef __cplusplus
}
#endif

#endif
