// What the functions that take the C library's place tell the recording. Each says first whether it wants to know.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace todana::recording {

bool isOn();

// Before the call.
void willWrite(int file, const void *bytes, size_t count, off_t offset);
void willResize(int file, off_t size);
void willGiveBack(int file, off_t offset, off_t size);
void willRemove(int directory, const char *name);
void willRename(int from, const char *name, int to, const char *newName);
// How many operations there are when a flush begins, for `didFlush`.
int64_t willFlush(int file);

// After a call that succeeded.
void didAllocate(int file, off_t size);
void didOpen(int file, int directory, const char *path);
void didMap(int file);
void didFlush(int file, int64_t begun, bool isAll);

}  // namespace todana::recording
