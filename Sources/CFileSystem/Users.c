#include "Internal.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

// The sizes of the first and the last buffer to try. A record of a user or group can have any length, because a group's
// record lists its members.
enum { FIRST_BUFFER_SIZE = 1024, LAST_BUFFER_SIZE = 1 << 20 };

#define WITH_RECORD(type, call, use)                                                   \
  for (size_t room = FIRST_BUFFER_SIZE; room <= LAST_BUFFER_SIZE; room *= 4) {         \
    char *space = malloc(room);                                                        \
    if (!space) return -ENOMEM;                                                        \
    struct type record, *found = NULL;                                                 \
    int error;                                                                         \
    do {                                                                               \
      error = call;                                                                    \
    } while (error == EINTR);                                                          \
    int64_t result = found ? (int64_t)(use) : error == 0 ? -ENOENT : -(int64_t)error;  \
    free(space);                                                                       \
    if (result != -ERANGE) return result;                                              \
  }                                                                                    \
  return -ERANGE

bool tdf_is_root(void) { return geteuid() == 0; }

uint32_t tdf_user_id(void) { return geteuid(); }

static int64_t copy_name(const char *name, uint8_t *buffer, size_t buffer_size) {
  size_t size = strlen(name);
  if (size > buffer_size) return -ENAMETOOLONG;
  memcpy(buffer, name, size);
  return (int64_t)size;
}

int64_t tdf_user_name(uint32_t user_id, uint8_t *buffer, size_t buffer_size) {
  WITH_RECORD(passwd, getpwuid_r(user_id, &record, space, room, &found),
              copy_name(found->pw_name, buffer, buffer_size));
}

int64_t tdf_group_name(uint32_t group_id, uint8_t *buffer, size_t buffer_size) {
  WITH_RECORD(group, getgrgid_r(group_id, &record, space, room, &found),
              copy_name(found->gr_name, buffer, buffer_size));
}

int64_t tdf_user_number(const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_attribute_name(&name, bytes, size)) return -ENOENT;
  WITH_RECORD(passwd, getpwnam_r(name.bytes, &record, space, room, &found), found->pw_uid);
}

int64_t tdf_group_number(const uint8_t *bytes, size_t size) {
  tdf_name name;
  if (!tdf_set_attribute_name(&name, bytes, size)) return -ENOENT;
  WITH_RECORD(group, getgrnam_r(name.bytes, &record, space, room, &found), found->gr_gid);
}

void tdf_describe_error(int error, char *buffer, size_t buffer_size) {
  if (buffer_size == 0) return;
  // The GNU function may return another text instead of filling the buffer.
  const char *text = strerror_r(error, buffer, buffer_size);
  if (text != buffer) snprintf(buffer, buffer_size, "%s", text);
  buffer[buffer_size - 1] = 0;
}
