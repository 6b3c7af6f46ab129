// The file flags of `chattr`, which ext4, XFS, btrfs, f2fs, tmpfs and other file systems support.
#include "Internal.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Reads or writes the flags. The kernel transfers an int, although the request's number is defined with long.
static int call_with_flags(int file, unsigned long request, int *flags) {
  int result = TDF_CALL(ioctl(file, request, flags));
  if (result == -EBADF) {
    // A handle (O_PATH) does not permit this call. Opening the file does not read it, so its access time does not
    // change.
    int opened = TDF_CALL(open(tdf_path_of(file).bytes, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (opened < 0) return opened == -ENOENT ? -EOPNOTSUPP : opened;
    result = TDF_CALL(ioctl(opened, request, flags));
    close(opened);
  }
  return result == -ENOTTY || result == -EINVAL || result == -ENOSYS ? -EOPNOTSUPP : result;
}

int tdf_get_flags(int file, uint32_t *flags) {
  int found = 0;
  int result = call_with_flags(file, FS_IOC_GETFLAGS, &found);
  *flags = result < 0 ? 0 : (uint32_t)found;
  return result < 0 ? result : 0;
}

int tdf_set_flags(int file, uint32_t flags) {
  int wanted = (int)flags;
  int result = call_with_flags(file, FS_IOC_SETFLAGS, &wanted);
  return result < 0 ? result : 0;
}
