#include <signal.h>
#include <stddef.h>

#include "CProcess.h"

bool tdp_ignores_signal(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void tdp_ignore_file_size_signal(void) { signal(SIGXFSZ, SIG_IGN); }
