#include "Internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int tdf_write_at(int file, const uint8_t *bytes, size_t byte_count, int64_t offset) {
  if (offset < 0) return -EINVAL;
  if (byte_count > (uint64_t)(INT64_MAX - offset)) return -EFBIG;
  while (byte_count > 0) {
    ssize_t count = TDF_CALL(pwrite(file, bytes, byte_count, offset));
    if (count < 0) return (int)count;
    // If nothing is written without an error, return an error instead of looping forever.
    if (count == 0) return -EIO;
    bytes += count;
    byte_count -= (size_t)count;
    offset += count;
  }
  return 0;
}

int tdf_set_size(int file, int64_t byte_count) {
  return TDF_CALL(ftruncate(file, byte_count));
}

int tdf_flush(int file) {
  return TDF_CALL(fdatasync(file));
}

int tdf_set_owner(int file, uint32_t user_id, uint32_t group_id) {
  // To the system, this number means "do not change".
  if (user_id == UINT32_MAX || group_id == UINT32_MAX) return -EINVAL;
  return TDF_CALL(fchownat(file, "", user_id, group_id, AT_EMPTY_PATH));
}

int tdf_set_permissions(int file, uint32_t permissions) {
  permissions &= 07777;
  int result = TDF_CALL(fchmod(file, permissions));
  if (result != -EBADF) return result;
  // The file is a handle.
  result = TDF_CALL(chmod(tdf_path_of(file).bytes, permissions));
#ifdef SYS_fchmodat2
  if (result == -ENOENT) result = (int)TDF_CALL(syscall(SYS_fchmodat2, file, "", permissions, AT_EMPTY_PATH));
#endif
  return result == -ENOENT ? -EOPNOTSUPP : result;
}

int tdf_set_modification_time(int file, int64_t seconds, uint32_t nanoseconds) {
  // Larger values have special meanings: UTIME_NOW, UTIME_OMIT.
  if (nanoseconds > 999999999) return -EINVAL;
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  int result = TDF_CALL(futimens(file, times));
  if (result != -EBADF) return result;
  // The file is a handle: Linux 5.8 supports AT_EMPTY_PATH here; older versions need /proc.
  result = TDF_CALL(utimensat(file, "", times, AT_EMPTY_PATH));
  if (result != -EINVAL && result != -ENOENT) return result;
  result = TDF_CALL(utimensat(AT_FDCWD, tdf_path_of(file).bytes, times, 0));
  return result == -ENOENT ? -EOPNOTSUPP : result;
}

int tdf_make_directory(int directory, const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  return TDF_CALL(mkdirat(directory, name.bytes, 0700));
}

int tdf_make_link(int directory, const uint8_t *bytes, size_t size, const uint8_t *target, size_t target_size) {
  tdf_name name;
  char path[TDF_PATH_SIZE_MAX + 1];
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  if (target_size == 0) return -ENOENT;
  if (target_size > TDF_PATH_SIZE_MAX) return -ENAMETOOLONG;
  if (memchr(target, 0, target_size)) return -EINVAL;
  memcpy(path, target, target_size);
  path[target_size] = 0;
  return TDF_CALL(symlinkat(path, directory, name.bytes));
}

int tdf_make_node(int directory, const uint8_t *bytes, size_t size, uint32_t kind, uint32_t major_number,
                  uint32_t minor_number) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  if (kind != S_IFIFO && kind != S_IFCHR && kind != S_IFBLK) return -EINVAL;
  // The kernel has 12 bits for the major and 20 for the minor number; larger numbers would mean another device.
  if (kind != S_IFIFO && (major_number >= 1u << 12 || minor_number >= 1u << 20)) return -EINVAL;
  return TDF_CALL(mknodat(directory, name.bytes, kind | 0600, makedev(major_number, minor_number)));
}

int tdf_add_name(int from_directory, const uint8_t *from, size_t from_size, int to_directory, const uint8_t *to,
                 size_t to_size) {
  tdf_name from_name, to_name;
  if (!tdf_set_name(&from_name, from, from_size) || !tdf_set_name(&to_name, to, to_size)) return -EINVAL;
  return TDF_CALL(linkat(from_directory, from_name.bytes, to_directory, to_name.bytes, 0));
}

int tdf_rename(int directory, const uint8_t *from, size_t from_size, const uint8_t *to, size_t to_size, bool replaces) {
  tdf_name from_name, to_name;
  if (!tdf_set_name(&from_name, from, from_size) || !tdf_set_name(&to_name, to, to_size)) return -EINVAL;
  if (replaces) return TDF_CALL(renameat(directory, from_name.bytes, directory, to_name.bytes));
  int result = TDF_CALL(renameat2(directory, from_name.bytes, directory, to_name.bytes, RENAME_NOREPLACE));
  if (result != -EINVAL && result != -ENOSYS) return result;
  // If the file system does not support RENAME_NOREPLACE, add a second name, which replaces nothing either.
  result = TDF_CALL(linkat(directory, from_name.bytes, directory, to_name.bytes, 0));
  if (result == 0) return TDF_CALL(unlinkat(directory, from_name.bytes, 0));
  if (result != -EPERM && result != -EOPNOTSUPP && result != -ENOSYS) return result;
  // Directories have no second name, nor do files of some file systems: check for an existing file first.
  struct stat found;
  result = TDF_CALL(fstatat(directory, to_name.bytes, &found, AT_SYMLINK_NOFOLLOW));
  if (result == 0) return -EEXIST;
  return result == -ENOENT ? TDF_CALL(renameat(directory, from_name.bytes, directory, to_name.bytes)) : result;
}

int tdf_remove(int directory, const uint8_t *bytes, size_t size, bool is_directory) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  return TDF_CALL(unlinkat(directory, name.bytes, is_directory ? AT_REMOVEDIR : 0));
}
