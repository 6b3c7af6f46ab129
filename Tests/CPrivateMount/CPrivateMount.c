#define _GNU_SOURCE
#include "CPrivateMount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

static int leave_namespace(void) {
  if (unshare(CLONE_NEWNS) != 0) return -errno;
  // Otherwise the new mount would also appear in the original namespace.
  return mount("none", "/", 0, MS_REC | MS_PRIVATE, 0) == 0 ? 0 : -errno;
}

int tdt_mount_privately(const char *path, const char *options) {
  const int error = leave_namespace();
  if (error != 0) return error;
  return mount("tmpfs", path, "tmpfs", 0, options) == 0 ? 0 : -errno;
}

// Attaches an image to a free loop device, which is free again after its last use. Returns the open device, or -errno.
static int attach(const char *image, char device[32]) {
  struct loop_config config = {.info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
  const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return -errno;
  const int file = open(image, O_RDWR | O_CLOEXEC);
  int opened = file < 0 ? -errno : -EBUSY;
  // Another process may take the device first.
  for (int attempt = 0; attempt < 100 && opened == -EBUSY; attempt++) {
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    snprintf(device, 32, "/dev/loop%d", number);
    opened = open(device, O_RDWR | O_CLOEXEC);
    if (opened < 0) {
      opened = -errno;
      break;
    }
    config.fd = (__u32)file;
    if (ioctl(opened, LOOP_CONFIGURE, &config) != 0) {
      const int error = -errno;
      close(opened);
      opened = error;
    }
  }
  if (file >= 0) close(file);
  close(control);
  return opened;
}

int tdt_mount_image(const char *path, const char *image, const char *type) {
  const int error = leave_namespace();
  if (error != 0) return error;
  char device[32];
  const int opened = attach(image, device);
  if (opened < 0) return opened;
  const int result = mount(device, path, type, 0, 0) == 0 ? 0 : -errno;
  close(opened);
  return result;
}

int tdt_make_read_only(const char *path) {
  return mount("tmpfs", path, "tmpfs", MS_REMOUNT | MS_RDONLY, 0) == 0 ? 0 : -errno;
}
