// Access to files by descriptors on Linux, in plain C, for reading files into archives and restoring them.
//
// Every function that can fail returns its result, or an error as a negative number (-ENOENT). A call that a signal
// interrupts is repeated. No function follows a symbolic link as the last component of a name, unless its comment says
// so.
//
// A name is one path component: 1 to 255 bytes, no '/', no NUL, neither "." nor "..". Each function checks its names,
// and returns -EINVAL for an invalid one, so no call can leave the directory that it is given.
//
// `file` is any descriptor. It may be a handle from `tdf_open_handle`, except for reading and writing data.
#ifndef TODANA_CFILESYSTEM_H
#define TODANA_CFILESYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Opening

// Opens a directory by any path, relative to `directory` or TDF_WORKING_DIRECTORY; follows symbolic links. All other
// access starts at such a directory.
int tdf_open_start(int directory, const uint8_t *path, size_t path_size);
enum { TDF_WORKING_DIRECTORY = -100, TDF_PATH_SIZE_MAX = 4095, TDF_NAME_SIZE_MAX = 255 };

// Opens a directory. It uses openat2 with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS. If openat2 is
// missing, it uses openat with O_NOFOLLOW, which is equivalent for one component. The access time is left unchanged if
// that is permitted.
int tdf_open_directory(int directory, const uint8_t *name, size_t name_size);
// Opens ".."; the caller checks whether it is the expected directory.
int tdf_open_parent(int directory);
// Opens a file for reading, without waiting for the other end of a FIFO; the access time is left unchanged if that is
// permitted. Returns -EAGAIN for a file under a lease (F_SETLEASE), whose holder has been notified.
int tdf_open_file(int directory, const uint8_t *name, size_t name_size);
// Opens a file of any kind, even a symbolic link itself, as a descriptor without access to data (O_PATH).
int tdf_open_handle(int directory, const uint8_t *name, size_t name_size);
// Creates a new file (O_EXCL) for reading and writing, with permissions 0600.
int tdf_create_file(int directory, const uint8_t *name, size_t name_size);
int tdf_close(int file);

// MARK: Reading

typedef struct {
  uint32_t mode;  // kind and permissions, as st_mode
  uint32_t user_id;
  uint32_t group_id;
  uint32_t special_major;  // device number of a device file
  uint32_t special_minor;
  uint32_t modified_nanoseconds;
  uint32_t changed_nanoseconds;
  int64_t modified_seconds;
  int64_t changed_seconds;
  uint64_t device;
  uint64_t inode;
  uint64_t link_count;
  int64_t byte_count;
  int64_t allocated_byte_count;  // on disk
} tdf_status;

int tdf_get_status(int file, tdf_status *status);
int tdf_get_status_at(int directory, const uint8_t *name, size_t name_size, tdf_status *status);

// Reads the target of the link whose handle is `file`, without a terminating NUL.
int64_t tdf_read_link(int file, uint8_t *buffer, size_t buffer_size);

// Restarts the reading of a directory's names.
int tdf_rewind(int directory);
// Fills the buffer with the next names; returns the number of used bytes, 0 at the end. 64 KiB is a good size.
int64_t tdf_read_names(int directory, uint8_t *buffer, size_t buffer_size);
// Returns the name at `*offset` of such a buffer, including "." and "..", and advances `*offset`. Returns null at the
// end. `*is_regular` is true if the directory says that the file is regular, which not every file system does.
const uint8_t *tdf_next_name(const uint8_t *buffer, size_t used, size_t *offset, size_t *name_size, bool *is_regular);

// Returns the start of the next data or hole from `offset` on. Returns -ENXIO if there is none, and -EINVAL if the file
// system does not report them.
int64_t tdf_next_data(int file, int64_t offset);
int64_t tdf_next_hole(int file, int64_t offset);
// Reads `buffer_size` bytes, or fewer at the end of the file. Returns the number of bytes read.
int64_t tdf_read_at(int file, uint8_t *buffer, size_t buffer_size, int64_t offset);
typedef enum { TDF_SEQUENTIAL = 0, TDF_WILL_NEED = 1, TDF_DO_NOT_NEED = 2 } tdf_advice;
int tdf_advise(int file, int64_t offset, int64_t byte_count, tdf_advice advice);

// Extended attributes. In a list each name ends with NUL. For a handle, the calls use its path in /proc/self/fd.
int64_t tdf_list_attributes(int file, uint8_t *buffer, size_t buffer_size);
int64_t tdf_get_attribute(int file, const uint8_t *name, size_t name_size, uint8_t *buffer, size_t buffer_size);
int tdf_set_attribute(int file, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size);
int tdf_remove_attribute(int file, const uint8_t *name, size_t name_size);

// Reads the flags that `chattr` sets (FS_IOC_GETFLAGS, FS_*_FL). Call it only for regular files and directories: a
// handle is opened again by its path in /proc/self/fd, and opening a device can have effects. Returns -EOPNOTSUPP if
// the file system has no flags.
int tdf_get_flags(int file, uint32_t *flags);
// Sets exactly these flags; a file system may ignore some of them without an error.
int tdf_set_flags(int file, uint32_t flags);

// MARK: Writing

// Writes all bytes, or returns an error.
int tdf_write_at(int file, const uint8_t *bytes, size_t byte_count, int64_t offset);
int tdf_set_size(int file, int64_t byte_count);
int tdf_flush(int file);
// Returns an error that the file system reports only when a file is closed, such as a full disk over NFS. The file
// stays open.
int tdf_finish_writing(int file);
// Locks the file until it is closed (flock); returns an error if another process has locked it.
int tdf_try_lock(int file);

int tdf_set_owner(int file, uint32_t user_id, uint32_t group_id);
int tdf_set_permissions(int file, uint32_t permissions);
// Sets the modification time; the access time is left unchanged.
int tdf_set_modification_time(int file, int64_t seconds, uint32_t nanoseconds);

int tdf_make_directory(int directory, const uint8_t *name, size_t name_size);  // with permissions 0700
int tdf_make_link(int directory, const uint8_t *name, size_t name_size, const uint8_t *target, size_t target_size);
// Creates a FIFO or a device. `kind` is as in st_mode; the permissions are 0600.
int tdf_make_node(int directory, const uint8_t *name, size_t name_size, uint32_t kind, uint32_t major, uint32_t minor);
// Adds a hard link to a file, or to a symbolic link itself.
int tdf_add_name(int from_directory, const uint8_t *from, size_t from_size, int to_directory, const uint8_t *to,
                 size_t to_size);
// Renames a file within one directory. Returns -EEXIST if the new name exists, unless it is to be replaced.
int tdf_rename(int directory, const uint8_t *from, size_t from_size, const uint8_t *to, size_t to_size, bool replaces);
// Removes a file, or an empty directory.
int tdf_remove(int directory, const uint8_t *name, size_t name_size, bool is_directory);

// MARK: Users

// Return the process's limit of open descriptors (RLIMIT_NOFILE), and the number of open ones; -ENOENT without /proc.
int64_t tdf_descriptor_limit(void);
int64_t tdf_descriptor_count(void);

bool tdf_is_root(void);
uint32_t tdf_user_id(void);
// Return the length of the name; -ENOENT if no user or group has the number.
int64_t tdf_user_name(uint32_t user_id, uint8_t *buffer, size_t buffer_size);
int64_t tdf_group_name(uint32_t group_id, uint8_t *buffer, size_t buffer_size);
// Return the number; -ENOENT if no user or group has the name.
int64_t tdf_user_number(const uint8_t *name, size_t name_size);
int64_t tdf_group_number(const uint8_t *name, size_t name_size);

// Makes the C library return large blocks of freed memory to the system, from now on and for the whole process.
void tdf_return_freed_memory(void);

// Writes the description of an error, always with a terminating NUL.
void tdf_describe_error(int error, char *buffer, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif
