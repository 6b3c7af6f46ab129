#include "CFaults.h"

#include "Recording.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

// Sanitizers replace the same functions, to track every thread and allocation.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TODANA_SANITIZED
#endif
#endif

#if defined(__linux__) && !defined(TODANA_SANITIZED)
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Armed {
  std::atomic<int> kind{-1};
  std::atomic<int64_t> count{0};
  std::atomic<int64_t> nth{0};
  int32_t error = 0;
  bool lasting = false;
  // Only calls for files beneath this directory count; if empty, all calls.
  char directory[4096] = "";
} armed;

// The code whose calls count: the program and, for allocations and threads, the C++ libraries it calls.
struct Range {
  uintptr_t start, end;
};
Range program, libraries[8];
int libraryCount = 0;

int noteObject(dl_phdr_info *info, size_t, void *isFirst) {
  Range range = {UINTPTR_MAX, 0};
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const auto &segment = info->dlpi_phdr[index];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    range.start = std::min<uintptr_t>(range.start, info->dlpi_addr + segment.p_vaddr);
    range.end = std::max<uintptr_t>(range.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  bool &first = *static_cast<bool *>(isFirst);
  if (first) {
    program = range;
  } else if ((std::strstr(info->dlpi_name, "libstdc++") || std::strstr(info->dlpi_name, "libkyotocabinet")) &&
             libraryCount < 8) {
    libraries[libraryCount++] = range;
  }
  first = false;
  return 0;
}

bool isIn(const Range &range, const void *address) {
  return reinterpret_cast<uintptr_t>(address) - range.start < range.end - range.start;
}

bool isBeneath(const char *directory, int descriptor) {
  if (!*directory) return true;
  char link[32], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  const size_t length = std::strlen(directory);
  if (size < static_cast<ssize_t>(length)) return false;
  path[size] = 0;
  return std::strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// Counts a call, and returns whether it must fail. `descriptor`: the file, or the directory to which a name is
// relative.
bool fails(fault_kind kind, const void *caller, int descriptor = -1) {
  if (armed.kind.load(std::memory_order_acquire) != kind) return false;
  if (!isBeneath(armed.directory, descriptor)) return false;
  bool counts = isIn(program, caller);
  if (kind == fault_allocate || kind == fault_thread) {
    for (int index = 0; index < libraryCount; index++) counts = counts || isIn(libraries[index], caller);
  }
  if (!counts) return false;
  const int64_t number = armed.count.fetch_add(1) + 1;
  return armed.lasting ? number >= armed.nth : number == armed.nth;
}

template <class Function>
Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void faults_arm(fault_kind kind, int64_t nth, int32_t error, bool lasting) {
  faults_arm_beneath(kind, nth, error, lasting, "");
}

void faults_arm_beneath(fault_kind kind, int64_t nth, int32_t error, bool lasting, const char *directory) {
  if (program.end == 0) {
    bool isFirst = true;
    dl_iterate_phdr(noteObject, &isFirst);
  }
  armed.nth = nth;
  std::snprintf(armed.directory, sizeof armed.directory, "%s", directory);
  armed.error = error;
  armed.lasting = lasting;
  armed.count = 0;
  armed.kind.store(kind, std::memory_order_release);
}

void faults_relent(void) { armed.nth = INT64_MAX; }

int64_t faults_disarm(void) {
  armed.kind = -1;
  return armed.count;
}

namespace recording = todana::recording;

#define CALLER __builtin_return_address(0)
#define PASS(name) static auto *const real = next(&name, #name)
#define FAIL(kind) FAIL_OF(kind, -1)
#define FAIL_OF(kind, descriptor)           \
  if (fails(kind, CALLER, descriptor)) {    \
    errno = armed.error;                    \
    return -1;                              \
  }

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  PASS(pwrite);
  if (fails(fault_write, CALLER)) {
    if (armed.error == fault_short_write) return real(descriptor, bytes, (count + 1) / 2, offset);
    errno = armed.error;
    return -1;
  }
  if (recording::isOn()) recording::willWrite(descriptor, bytes, count, offset);
  return real(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  PASS(pread);
  FAIL_OF(fault_read, descriptor);
  return real(descriptor, bytes, count, offset);
}

off_t lseek(int descriptor, off_t offset, int whence) noexcept {
  PASS(lseek);
  FAIL_OF(fault_seek, descriptor);
  return real(descriptor, offset, whence);
}

int fstat(int descriptor, struct stat *status) noexcept {
  PASS(fstat);
  FAIL_OF(fault_status, descriptor);
  return real(descriptor, status);
}

// CFileSystem lists directories by getdents64 and opens files by openat2, both through `syscall`.
long syscall(long number, ...) noexcept {
  PASS(syscall);
  va_list list;
  va_start(list, number);
  long given[6];
  // Reads six arguments even if fewer were given, as the C library's own function does. The rest is ignored.
  for (long &argument : given) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_getdents64) FAIL_OF(fault_list, static_cast<int>(given[0]));
#ifdef SYS_openat2
  if (number == SYS_openat2) FAIL_OF(fault_open, static_cast<int>(given[0]));
#endif
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

}  // extern "C"

template <class Function>
static int flush(Function *real, int descriptor, bool isAll) {
  if (!recording::isOn()) return real(descriptor);
  const int64_t begun = recording::willFlush(descriptor);
  const int result = real(descriptor);
  if (result == 0) recording::didFlush(descriptor, begun, isAll);
  return result;
}

extern "C" {

int fdatasync(int descriptor) {
  PASS(fdatasync);
  FAIL(fault_flush);
  return flush(real, descriptor, false);
}

int fsync(int descriptor) {
  PASS(fsync);
  FAIL(fault_flush);
  return flush(real, descriptor, false);
}

int syncfs(int descriptor) noexcept {
  PASS(syncfs);
  FAIL(fault_flush);
  return flush(real, descriptor, true);
}

int ftruncate(int descriptor, off_t size) noexcept {
  PASS(ftruncate);
  FAIL(fault_resize);
  if (recording::isOn()) recording::willResize(descriptor, size);
  return real(descriptor, size);
}

int posix_fallocate(int descriptor, off_t offset, off_t size) {
  PASS(posix_fallocate);
  // Returns the error, and leaves errno alone.
  if (fails(fault_resize, CALLER)) return armed.error;
  const int result = real(descriptor, offset, size);
  if (result == 0 && recording::isOn()) recording::didAllocate(descriptor, offset + size);
  return result;
}

int fallocate(int descriptor, int mode, off_t offset, off_t size) {
  PASS(fallocate);
  if ((mode & FALLOC_FL_PUNCH_HOLE) && recording::isOn()) recording::willGiveBack(descriptor, offset, size);
  return real(descriptor, mode, offset, size);
}

static int noteOpened(int file, int directory, const char *path) {
  if (file >= 0 && recording::isOn()) recording::didOpen(file, directory, path);
  return file;
}

int open(const char *path, int flags, ...) {
  PASS(open);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  FAIL(fault_open);
  return noteOpened(real(path, flags, mode), -1, path);
}

int openat(int directory, const char *path, int flags, ...) {
  PASS(openat);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  FAIL_OF(fault_open, directory);
  return noteOpened(real(directory, path, flags, mode), directory, path);
}

int renameat(int from, const char *name, int to, const char *newName) noexcept {
  PASS(renameat);
  FAIL(fault_rename);
  if (recording::isOn()) recording::willRename(from, name, to, newName);
  return real(from, name, to, newName);
}

int rename(const char *name, const char *newName) noexcept {
  PASS(rename);
  FAIL(fault_rename);
  return real(name, newName);
}

int unlinkat(int directory, const char *name, int flags) noexcept {
  PASS(unlinkat);
  FAIL(fault_remove);
  if (recording::isOn()) recording::willRemove(directory, name);
  return real(directory, name, flags);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) noexcept {
  PASS(mmap);
  if (fails(fault_map, CALLER)) {
    errno = armed.error;
    return MAP_FAILED;
  }
  void *memory = real(address, length, protection, flags, descriptor, offset);
  if (memory != MAP_FAILED && (flags & MAP_SHARED) && (protection & PROT_WRITE) && recording::isOn()) {
    recording::didMap(descriptor);
  }
  return memory;
}

int pthread_create(
  pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) noexcept {
  PASS(pthread_create);
  if (fails(fault_thread, CALLER)) return armed.error;
  return real(thread, attributes, start, argument);
}

}  // extern "C"

void *operator new(size_t size) {
  if (fails(fault_allocate, CALLER)) throw std::bad_alloc();
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void *operator new[](size_t size) {
  if (fails(fault_allocate, CALLER)) throw std::bad_alloc();
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

#else

// On other systems, the calls of libraries are bound so that no function can replace them.
void faults_arm(fault_kind, int64_t, int32_t, bool) {}
void faults_arm_beneath(fault_kind, int64_t, int32_t, bool, const char *) {}
void faults_relent(void) {}
int64_t faults_disarm(void) { return 0; }

#endif
