// Declarations that the files of this target share.
#ifndef TODANA_CFILESYSTEM_INTERNAL_H
#define TODANA_CFILESYSTEM_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "CFileSystem.h"

// A name with a terminating NUL, for system calls.
typedef struct {
  char bytes[TDF_NAME_SIZE_MAX + 1];
} tdf_name;

// Copies a name; returns false if it is not a single path component.
static inline bool tdf_set_name(tdf_name *name, const uint8_t *bytes, size_t size) {
  if (!bytes || size == 0 || size > TDF_NAME_SIZE_MAX) return false;
  if (memchr(bytes, '/', size) || memchr(bytes, 0, size)) return false;
  if (bytes[0] == '.' && (size == 1 || (size == 2 && bytes[1] == '.'))) return false;
  memcpy(name->bytes, bytes, size);
  name->bytes[size] = 0;
  return true;
}

// Copies the name of an attribute, which may contain '/'; returns false if it is not valid.
static inline bool tdf_set_attribute_name(tdf_name *name, const uint8_t *bytes, size_t size) {
  if (!bytes || size == 0 || size > TDF_NAME_SIZE_MAX || memchr(bytes, 0, size)) return false;
  memcpy(name->bytes, bytes, size);
  name->bytes[size] = 0;
  return true;
}

// The path that leads the kernel to the file of a descriptor, of any kind, without resolving names.
typedef struct {
  char bytes[32];
} tdf_descriptor_path;

static inline tdf_descriptor_path tdf_path_of(int file) {
  tdf_descriptor_path path;
  snprintf(path.bytes, sizeof path.bytes, "/proc/self/fd/%d", file);
  return path;
}

// Repeats a call that a signal interrupts. The value of the expression is the result, or -errno.
#define TDF_CALL(call)                            \
  ({                                              \
    __typeof__(call) result_;                     \
    do {                                          \
      result_ = (call);                           \
    } while (result_ == -1 && errno == EINTR);    \
    result_ == -1 ? -(__typeof__(call))errno : result_; \
  })

#endif
