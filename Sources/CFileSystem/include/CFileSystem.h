// Files by handles: what reading and restoring them needs of Linux, as plain C.
//
// Every function that can fail returns what it is about, or an error as a negative number (-ENOENT). A call that a
// signal interrupts is made again. None follows a symbolic link in the last place of a name, but where it says so.
//
// A name is one step: 1 to 255 bytes, no '/', no NUL, neither "." nor "..". Each function that takes one looks at that
// itself, and returns -EINVAL for another, so no call can leave the directory it is given.
//
// `file` is any descriptor, also one of `tdf_open_handle`, but where data are read or written.
#ifndef TODANA_CFILESYSTEM_H
#define TODANA_CFILESYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Opening

// A directory by any path, links followed, relative to `directory` (or TDF_WORKING_DIRECTORY): where work begins.
int tdf_open_start(int directory, const uint8_t *path, size_t path_size);
enum { TDF_WORKING_DIRECTORY = -100, TDF_PATH_SIZE_MAX = 4095, TDF_NAME_SIZE_MAX = 255 };

// openat2 with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS; openat with O_NOFOLLOW where there is
// none, which for one step comes to the same. The time of last access stays as it is where that is permitted.
int tdf_open_directory(int directory, const uint8_t *name, size_t name_size);
// "..": the caller looks whether it is the one that it expects.
int tdf_open_parent(int directory);
// For reading; does not wait for the other end of a FIFO. -EAGAIN of a file under a lease (F_SETLEASE), whose holder has
// been told.
int tdf_open_file(int directory, const uint8_t *name, size_t name_size);
// Anything, a link itself as well: a descriptor that gives no data (O_PATH).
int tdf_open_handle(int directory, const uint8_t *name, size_t name_size);
// A new file (O_EXCL), for writing, with the permissions 0600.
int tdf_create_file(int directory, const uint8_t *name, size_t name_size);
int tdf_close(int file);

// MARK: Reading

typedef struct {
  uint32_t mode;  // kind and permissions, as st_mode
  uint32_t user_id;
  uint32_t group_id;
  uint32_t special_major;  // of the device that a device file is
  uint32_t special_minor;
  uint32_t modified_nanoseconds;
  uint32_t changed_nanoseconds;
  int64_t modified_seconds;
  int64_t changed_seconds;
  uint64_t device;
  uint64_t inode;
  uint64_t link_count;
  int64_t byte_count;
  int64_t allocated_byte_count;  // of storage
} tdf_status;

int tdf_get_status(int file, tdf_status *status);
int tdf_get_status_at(int directory, const uint8_t *name, size_t name_size, tdf_status *status);

// The target of the link that `file` is a handle of, without NUL at its end.
int64_t tdf_read_link(int file, uint8_t *buffer, size_t buffer_size);

// Begins anew with the names of a directory.
int tdf_rewind(int directory);
// Fills the buffer with more names: bytes that were used, 0 at the end. 64 KiB is a good size.
int64_t tdf_read_names(int directory, uint8_t *buffer, size_t buffer_size);
// The name at `*offset` of such a buffer, "." and ".." among them; moves `*offset` on. Null at the end. `*is_regular`:
// whether the directory says that it is that of a regular file, which not every file system does.
const uint8_t *tdf_next_name(const uint8_t *buffer, size_t used, size_t *offset, size_t *name_size, bool *is_regular);

// From `offset` on: where the next data begin, -ENXIO where there are none, -EINVAL where the file system cannot tell.
int64_t tdf_next_data(int file, int64_t offset);
int64_t tdf_next_hole(int file, int64_t offset);
// As many bytes as there are, at most `buffer_size`: fewer only at the end of the file.
int64_t tdf_read_at(int file, uint8_t *buffer, size_t buffer_size, int64_t offset);
typedef enum { TDF_SEQUENTIAL = 0, TDF_WILL_NEED = 1, TDF_DO_NOT_NEED = 2 } tdf_advice;
int tdf_advise(int file, int64_t offset, int64_t byte_count, tdf_advice advice);

// Extended attributes. The names of a list end in NUL each. Of a handle, these go through /proc/self/fd.
int64_t tdf_list_attributes(int file, uint8_t *buffer, size_t buffer_size);
int64_t tdf_get_attribute(int file, const uint8_t *name, size_t name_size, uint8_t *buffer, size_t buffer_size);
int tdf_set_attribute(int file, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size);
int tdf_remove_attribute(int file, const uint8_t *name, size_t name_size);

// The flags that `chattr` sets (FS_IOC_GETFLAGS, FS_*_FL), of a regular file or a directory only: other kinds are opened
// for it. A handle is opened again through /proc/self/fd. -EOPNOTSUPP if the file system has no flags.
int tdf_get_flags(int file, uint32_t *flags);
// Sets these flags and no others; a file system may leave some out without an error.
int tdf_set_flags(int file, uint32_t flags);

// MARK: Writing

// All of the bytes, or an error.
int tdf_write_at(int file, const uint8_t *bytes, size_t byte_count, int64_t offset);
int tdf_set_size(int file, int64_t byte_count);
int tdf_flush(int file);
// What a file system reports late (a full disk, over NFS, only at closing) comes here; the file stays open.
int tdf_finish_writing(int file);
// Whether nobody else has the file locked; it is locked then until it is closed (flock).
int tdf_try_lock(int file);

int tdf_set_owner(int file, uint32_t user_id, uint32_t group_id);
int tdf_set_permissions(int file, uint32_t permissions);
// The time of last access stays as it is.
int tdf_set_modification_time(int file, int64_t seconds, uint32_t nanoseconds);

int tdf_make_directory(int directory, const uint8_t *name, size_t name_size);  // with the permissions 0700
int tdf_make_link(int directory, const uint8_t *name, size_t name_size, const uint8_t *target, size_t target_size);
// `mode` has the kind, as st_mode, and no permissions but 0600.
int tdf_make_node(int directory, const uint8_t *name, size_t name_size, uint32_t kind, uint32_t major, uint32_t minor);
// One more name for a file, or for a link itself.
int tdf_add_name(int from_directory, const uint8_t *from, size_t from_size, int to_directory, const uint8_t *to,
                 size_t to_size);
// Within one directory. -EEXIST where something has the new name, unless it is to be replaced.
int tdf_rename(int directory, const uint8_t *from, size_t from_size, const uint8_t *to, size_t to_size, bool replaces);
// A directory has to be empty.
int tdf_remove(int directory, const uint8_t *name, size_t name_size, bool is_directory);

// MARK: Users

// Descriptors: how many the process may have open (RLIMIT_NOFILE), and how many it has; -ENOENT without /proc.
int64_t tdf_descriptor_limit(void);
int64_t tdf_descriptor_count(void);

bool tdf_is_root(void);
uint32_t tdf_user_id(void);
// The length of a name, -ENOENT where nobody has the number.
int64_t tdf_user_name(uint32_t user_id, uint8_t *buffer, size_t buffer_size);
int64_t tdf_group_name(uint32_t group_id, uint8_t *buffer, size_t buffer_size);
// The number, -ENOENT where nobody has the name.
int64_t tdf_user_number(const uint8_t *name, size_t name_size);
int64_t tdf_group_number(const uint8_t *name, size_t name_size);

// From now on, large pieces of memory go back to the system when they are freed. For the whole process.
void tdf_return_freed_memory(void);

// What an error means, in words; always ends in NUL.
void tdf_describe_error(int error, char *buffer, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif
