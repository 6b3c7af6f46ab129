// A file system private to the calling thread, for tests with full and with read-only disks.
#ifndef TODANA_CPRIVATEMOUNT_H
#define TODANA_CPRIVATEMOUNT_H

#include <stdbool.h>

// Mounts a file system in memory at `path`, with options as mount(8) takes them. No other thread sees it, and it is
// gone with the thread. Returns 0 or -errno.
int tdt_mount_privately(const char *path, const char *options);
// Mounts the file system of type `type` in the file `image`, in the same way. Returns 0 or -errno.
int tdt_mount_image(const char *path, const char *image, const char *type);
int tdt_make_read_only(const char *path);

#endif
