#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CProcess.h"

extern char **environ;

static int start(pid_t *child, char *const *arguments, bool has_input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0) return failure;
  failure = posix_spawnattr_init(&attributes);
  if (failure != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return failure;
  }
  // The child must not ignore SIGXFSZ, as this process does. Signals that this process was started to ignore stay
  // ignored.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  failure = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (failure == 0 && !has_input)
    failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (failure == 0) failure = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

pid_t tdp_start(char *const *arguments, bool has_input, int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == -1) return -errno;
  pid_t child = 0;
  const int failure = start(&child, arguments, has_input, ends[1]);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return -failure;
  }
  *output = ends[0];
  return child;
}

int tdp_child_status(pid_t child, int *status) {
  for (;;) {
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child) return 1;
    if (ended == 0) return 0;
    if (errno != EINTR) return -errno;
  }
}
