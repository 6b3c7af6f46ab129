#define _GNU_SOURCE
#include "CPrivateMount.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

int tdt_mount_privately(const char *path, const char *options) {
  if (unshare(CLONE_NEWNS) != 0) return -errno;
  // Otherwise the new mount would also appear in the original namespace.
  if (mount("none", "/", 0, MS_REC | MS_PRIVATE, 0) != 0) return -errno;
  return mount("tmpfs", path, "tmpfs", 0, options) == 0 ? 0 : -errno;
}

int tdt_make_read_only(const char *path) {
  return mount("tmpfs", path, "tmpfs", MS_REMOUNT | MS_RDONLY, 0) == 0 ? 0 : -errno;
}
