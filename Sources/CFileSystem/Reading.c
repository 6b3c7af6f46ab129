#include "Internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void set_status(tdf_status *status, const struct stat *from) {
  *status = (tdf_status){
      .mode = from->st_mode,
      .user_id = from->st_uid,
      .group_id = from->st_gid,
      .special_major = major(from->st_rdev),
      .special_minor = minor(from->st_rdev),
      .modified_nanoseconds = (uint32_t)from->st_mtim.tv_nsec,
      .changed_nanoseconds = (uint32_t)from->st_ctim.tv_nsec,
      .modified_seconds = from->st_mtim.tv_sec,
      .changed_seconds = from->st_ctim.tv_sec,
      .device = from->st_dev,
      .inode = from->st_ino,
      .link_count = from->st_nlink,
      .byte_count = from->st_size,
      .allocated_byte_count = (int64_t)from->st_blocks * 512,
  };
}

int tdf_get_status(int file, tdf_status *status) {
  struct stat found;
  int result = TDF_CALL(fstat(file, &found));
  if (result == 0) set_status(status, &found);
  return result;
}

int tdf_get_status_at(int directory, const uint8_t *bytes, size_t size, tdf_status *status) {
  tdf_name name;
  if (!tdf_set_name(&name, bytes, size)) return -EINVAL;
  struct stat found;
  int result = TDF_CALL(fstatat(directory, name.bytes, &found, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT));
  if (result == 0) set_status(status, &found);
  return result;
}

int64_t tdf_read_link(int file, uint8_t *buffer, size_t buffer_size) {
  return TDF_CALL(readlinkat(file, "", (char *)buffer, buffer_size));
}

int tdf_rewind(int directory) {
  off_t position = lseek(directory, 0, SEEK_SET);
  return position == -1 ? -errno : 0;
}

// The struct linux_dirent64 as the kernel writes it: inode (8 bytes), position (8), length of the record (2), kind (1),
// name with a terminating NUL.
enum { RECORD_SIZE_OFFSET = 16, RECORD_KIND_OFFSET = 18, RECORD_NAME_OFFSET = 19 };

int64_t tdf_read_names(int directory, uint8_t *buffer, size_t buffer_size) {
  return TDF_CALL(syscall(SYS_getdents64, directory, buffer, buffer_size));
}

const uint8_t *tdf_next_name(const uint8_t *buffer, size_t used, size_t *offset, size_t *name_size, bool *is_regular) {
  size_t at = *offset;
  if (at > used || used - at <= RECORD_NAME_OFFSET) return NULL;
  uint16_t record_size;
  memcpy(&record_size, buffer + at + RECORD_SIZE_OFFSET, sizeof record_size);
  if (record_size <= RECORD_NAME_OFFSET || record_size > used - at) return NULL;
  const uint8_t *name = buffer + at + RECORD_NAME_OFFSET;
  *name_size = strnlen((const char *)name, record_size - RECORD_NAME_OFFSET);
  *is_regular = buffer[at + RECORD_KIND_OFFSET] == DT_REG;
  *offset = at + record_size;
  return name;
}

int64_t tdf_next_data(int file, int64_t offset) {
  return TDF_CALL(lseek(file, offset, SEEK_DATA));
}

int64_t tdf_next_hole(int file, int64_t offset) {
  return TDF_CALL(lseek(file, offset, SEEK_HOLE));
}

int64_t tdf_read_at(int file, uint8_t *buffer, size_t buffer_size, int64_t offset) {
  if (offset < 0) return -EINVAL;
  // No file is longer, and the kernel refuses to read beyond.
  if (buffer_size > (uint64_t)(INT64_MAX - offset)) buffer_size = (size_t)(INT64_MAX - offset);
  size_t done = 0;
  while (done < buffer_size) {
    ssize_t count = TDF_CALL(pread(file, buffer + done, buffer_size - done, offset + (int64_t)done));
    if (count < 0) return count;
    if (count == 0) break;
    done += (size_t)count;
  }
  return (int64_t)done;
}

int tdf_advise(int file, int64_t offset, int64_t byte_count, tdf_advice advice) {
  static const int values[] = {POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED};
  if ((unsigned)advice >= sizeof values / sizeof values[0]) return -EINVAL;
  return -posix_fadvise(file, offset, byte_count, values[advice]);
}
