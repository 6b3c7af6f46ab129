#include "Internal.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

// Opens a file by openat2, or by openat if that fails. openat2 needs Linux 5.6, and filters of system calls in
// containers may refuse it with ENOSYS or EPERM.
static int open_beneath(int directory, const char *name, int flags, mode_t mode) {
#ifdef SYS_openat2
  static atomic_bool is_missing;
  if (!atomic_load_explicit(&is_missing, memory_order_relaxed)) {
    struct open_how how = {
        .flags = (unsigned)flags,
        .mode = mode,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    for (;;) {
      long file = syscall(SYS_openat2, directory, name, &how, sizeof how);
      if (file >= 0) return (int)file;
      // EAGAIN: because of a concurrent rename, the kernel cannot verify that the file is beneath the directory. Use
      // openat.
      if (errno == EINTR) continue;
      if (errno == ENOSYS) atomic_store_explicit(&is_missing, true, memory_order_relaxed);
      if (errno != ENOSYS && errno != EPERM && errno != EAGAIN && errno != E2BIG && errno != EINVAL) return -errno;
      break;
    }
  }
#endif
  return TDF_CALL(openat(directory, name, flags, mode));
}

// Opens a file without changing its access time, which the system permits to its owner and to root. For other users,
// opens it as usual.
static int open_to_read(int directory, const uint8_t *bytes, size_t size, int flags) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  flags |= O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
  int file = open_beneath(directory, name.bytes, flags | O_NOATIME, 0);
  return file == -EPERM ? open_beneath(directory, name.bytes, flags, 0) : file;
}

int tdf_open_start(int directory, const uint8_t *path, size_t path_size) {
  char bytes[TDF_PATH_SIZE_MAX + 1];
  if (path_size == 0) return -ENOENT;
  if (path_size > TDF_PATH_SIZE_MAX) return -ENAMETOOLONG;
  if (memchr(path, 0, path_size)) return -EINVAL;
  memcpy(bytes, path, path_size);
  bytes[path_size] = 0;
  return TDF_CALL(openat(directory, bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int tdf_open_directory(int directory, const uint8_t *name, size_t name_size) {
  return open_to_read(directory, name, name_size, O_DIRECTORY);
}

int tdf_open_parent(int directory) {
  return TDF_CALL(openat(directory, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int tdf_open_file(int directory, const uint8_t *name, size_t name_size) {
  return open_to_read(directory, name, name_size, O_NONBLOCK | O_NOCTTY);
}

int tdf_open_handle(int directory, const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  // Do not use openat2: RESOLVE_NO_SYMLINKS refuses a link as the last component, even to open a handle of the link
  // itself.
  return TDF_CALL(openat(directory, name.bytes, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

int tdf_create_file(int directory, const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  return open_beneath(directory, name.bytes, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int tdf_close(int file) {
  // Linux has closed the descriptor even if `close` fails with EINTR.
  return close(file) == -1 && errno != EINTR ? -errno : 0;
}

int tdf_try_lock(int file) {
  return TDF_CALL(flock(file, LOCK_EX | LOCK_NB));
}

int tdf_finish_writing(int file) {
  // The file system reports delayed errors when any descriptor of the file is closed, not only the last one.
  int second = TDF_CALL(fcntl(file, F_DUPFD_CLOEXEC, 0));
  return second < 0 ? second : tdf_close(second);
}
