#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "CProcess.h"

void tdp_occupy_standard_descriptors(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // `open` returns the lowest free number, which is this descriptor. It is opened only for the direction in which it
    // is never used. If /dev/null is missing, as in a chroot, a directory is opened: it can be neither read nor
    // written.
    const int direction = descriptor == 0 ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", direction) == -1) open("/", O_RDONLY | O_DIRECTORY);
  }
}

int tdp_write_without_signal(int file, const uint8_t *bytes, size_t byte_count) {
  sigset_t pipe_signal, blocked, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &blocked);
  int result = 0;
  while (byte_count > 0) {
    const ssize_t written = write(file, bytes, byte_count);
    if (written >= 0) {
      bytes += written;
      byte_count -= (size_t)written;
    } else if (errno != EINTR) {
      result = -errno;
      break;
    }
  }
  if (result == -EPIPE && !was_pending) {
    const struct timespec no_time = {0, 0};
    while (sigtimedwait(&pipe_signal, NULL, &no_time) == -1 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  return result;
}
