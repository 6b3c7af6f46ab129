#include "CThreads.h"

#include <pthread.h>
#include <stdlib.h>

uint64_t tdt_fork_counter = 0;

static void count_fork(void) { tdt_fork_counter++; }

__attribute__((constructor)) static void count_forks(void) {
  // If the handler were missing, a child could damage the files of its parent.
  if (pthread_atfork(NULL, NULL, count_fork) != 0) abort();
}
