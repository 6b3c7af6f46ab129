// Extended attributes by descriptors. The calls for descriptors refuse a handle (O_PATH) with EBADF. The path of the
// handle under /proc/self/fd refers to the same file, even to a symbolic link itself.
#include "Internal.h"

#include <sys/xattr.h>

// Converts the result of a call by the path of a handle. If /proc is missing, the handle has no path: the error then
// does not mean that the file itself is missing.
static int64_t through_path(int64_t result) {
  return result == -ENOENT || result == -ENOTDIR ? -EOPNOTSUPP : result;
}

int64_t tdf_list_attributes(int file, uint8_t *buffer, size_t buffer_size) {
  int64_t result = TDF_CALL(flistxattr(file, (char *)buffer, buffer_size));
  if (result != -EBADF) return result;
  return through_path(TDF_CALL(listxattr(tdf_path_of(file).bytes, (char *)buffer, buffer_size)));
}

int64_t tdf_get_attribute(int file, const uint8_t *bytes, size_t size, uint8_t *buffer, size_t buffer_size) {
  tdf_name name;
  if (!tdf_set_attribute_name(&name, bytes, size)) return -EINVAL;
  int64_t result = TDF_CALL(fgetxattr(file, name.bytes, buffer, buffer_size));
  if (result != -EBADF) return result;
  return through_path(TDF_CALL(getxattr(tdf_path_of(file).bytes, name.bytes, buffer, buffer_size)));
}

int tdf_set_attribute(int file, const uint8_t *bytes, size_t size, const uint8_t *value, size_t value_size) {
  tdf_name name;
  if (!tdf_set_attribute_name(&name, bytes, size)) return -EINVAL;
  int result = TDF_CALL(fsetxattr(file, name.bytes, value, value_size, 0));
  if (result != -EBADF) return result;
  return (int)through_path(TDF_CALL(setxattr(tdf_path_of(file).bytes, name.bytes, value, value_size, 0)));
}

int tdf_remove_attribute(int file, const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_attribute_name(&name, bytes, size)) return -EINVAL;
  int result = TDF_CALL(fremovexattr(file, name.bytes));
  if (result != -EBADF) return result;
  return (int)through_path(TDF_CALL(removexattr(tdf_path_of(file).bytes, name.bytes)));
}
