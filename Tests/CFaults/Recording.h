// Notifications to the recording, from the functions that replace the C library's. Callers check `isOn` first.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace todana::recording {

bool isOn();

// Called before the operation.
void willWrite(int file, const void *bytes, size_t count, off_t offset);
void willResize(int file, off_t size);
void willGiveBack(int file, off_t offset, off_t size);
void willRemove(int directory, const char *name);
void willRename(int from, const char *name, int to, const char *newName);
// Returns the number of operations when a flush begins, to be passed to `didFlush`.
int64_t willFlush(int file);

// Called after an operation that succeeded.
void didAllocate(int file, off_t size);
void didOpen(int file, int directory, const char *path);
void didMap(int file);
void didFlush(int file, int64_t begun, bool isAll);

}  // namespace todana::recording
