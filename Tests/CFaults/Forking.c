#include "CForking.h"

#include <unistd.h>

pid_t forking_fork(void) { return fork(); }

int forking_daemon(void) { return daemon(1, 1); }
