#include "Recording.h"

#include "CRecording.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace todana::recording {

namespace {

// The kinds of operations, numbered as `Operation::Kind` in Tests/CPowerFailure/RecordingDisk.h.
enum class Kind : uint8_t { create, write, resize, flush, rename, remove, flushDirectory, flushAll };

std::atomic<bool> on{false};
std::mutex mutex;
std::FILE *logFile = nullptr;
bool hasFailed = false;
int64_t count = 0;
std::string directoryPath;
struct stat directoryStatus;
std::map<std::string, int> names;
std::map<ino_t, int> files;
std::set<int> mapped;  // files that are written through a mapping
int nextFile = 1;

void put(const void *bytes, size_t byteCount) {
  if (byteCount > 0 && std::fwrite(bytes, 1, byteCount, logFile) != byteCount) hasFailed = true;
}

template <class Number>
void put(Number number) {
  put(&number, sizeof number);
}

void put(const std::string &text) {
  put(static_cast<uint32_t>(text.size()));
  put(text.data(), text.size());
}

void add(
  Kind kind, int file, int64_t offset, const void *bytes = nullptr, size_t byteCount = 0, const std::string &name = {},
  const std::string &newName = {}) {
  put(static_cast<uint8_t>(kind));
  put(static_cast<int32_t>(file));
  put(offset);
  put(name);
  put(newName);
  put(static_cast<uint64_t>(byteCount));
  put(bytes, byteCount);
  count++;
}

bool isDirectory(int descriptor) {
  struct stat status;
  return descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_ino == directoryStatus.st_ino &&
         status.st_dev == directoryStatus.st_dev;
}

// Returns the number of a file in the directory, or 0 for any other file.
int number(int descriptor) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || status.st_dev != directoryStatus.st_dev) return 0;
  auto found = files.find(status.st_ino);
  return found == files.end() ? 0 : found->second;
}

// Records the entire content of a mapped file. Stores through a mapping are not seen one by one, so they are recorded
// before the next flush or resize.
void addMapped(int descriptor, int file) {
  if (mapped.count(file) == 0) return;
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return;
  std::vector<char> content(static_cast<size_t>(status.st_size));
  const ssize_t found = ::pread(descriptor, content.data(), content.size(), 0);
  if (found != status.st_size) hasFailed = true;
  add(Kind::write, file, 0, content.data(), content.size());
}

}  // namespace

bool isOn() { return on.load(std::memory_order_acquire); }

void willWrite(int descriptor, const void *bytes, size_t byteCount, off_t offset) {
  std::lock_guard<std::mutex> lock(mutex);
  if (const int file = number(descriptor)) add(Kind::write, file, offset, bytes, byteCount);
}

void willResize(int descriptor, off_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  const int file = number(descriptor);
  if (file == 0) return;
  addMapped(descriptor, file);
  mapped.erase(file);
  add(Kind::resize, file, size);
}

void didAllocate(int descriptor, off_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  const int file = number(descriptor);
  struct stat status;
  // A longer file keeps its size.
  if (file != 0 && ::fstat(descriptor, &status) == 0 && status.st_size <= size) add(Kind::resize, file, size);
}

void willGiveBack(int descriptor, off_t offset, off_t size) {
  const std::string zeros(static_cast<size_t>(size), '\0');
  willWrite(descriptor, zeros.data(), zeros.size(), offset);
}

void didMap(int descriptor) {
  std::lock_guard<std::mutex> lock(mutex);
  if (const int file = number(descriptor)) mapped.insert(file);
}

void didOpen(int descriptor, int directory, const char *path) {
  std::lock_guard<std::mutex> lock(mutex);
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  std::string name = path;
  if (name.rfind(directoryPath + "/", 0) == 0) {
    name.erase(0, directoryPath.size() + 1);
  } else if (name[0] == '/' || !isDirectory(directory)) {
    return;
  }
  if (name.find('/') != name.npos || names.count(name) > 0) return;
  names[name] = files[status.st_ino] = nextFile++;
  add(Kind::create, names[name], 0, nullptr, 0, name);
}

void willRemove(int directory, const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isDirectory(directory) || names.erase(name) == 0) return;
  add(Kind::remove, 0, 0, nullptr, 0, name);
}

void willRename(int from, const char *name, int to, const char *newName) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = names.find(name);
  if (!isDirectory(from) || !isDirectory(to) || found == names.end()) return;
  const int file = found->second;
  names.erase(found);
  names[newName] = file;
  add(Kind::rename, 0, 0, nullptr, 0, name, newName);
}

int64_t willFlush(int descriptor) {
  std::lock_guard<std::mutex> lock(mutex);
  if (const int file = number(descriptor)) addMapped(descriptor, file);
  return count;
}

void didFlush(int descriptor, int64_t begun, bool isAll) {
  std::lock_guard<std::mutex> lock(mutex);
  const int file = number(descriptor);
  if (isAll) {
    add(Kind::flushAll, 0, count - begun);
  } else if (file != 0) {
    add(Kind::flush, file, count - begun);
  } else if (isDirectory(descriptor)) {
    add(Kind::flushDirectory, 0, count - begun);
  }
}

}  // namespace todana::recording

using namespace todana::recording;

bool recording_start(const char *directory, const char *log) {
#if defined(__linux__)
  std::lock_guard<std::mutex> lock(mutex);
  DIR *stream = ::opendir(directory);
  logFile = std::fopen(log, "wb");
  if (!stream || !logFile || ::stat(directory, &directoryStatus) != 0) return false;
  directoryPath = directory;
  std::vector<std::pair<std::string, ino_t>> entries;
  while (const dirent *entry = ::readdir(stream)) {
    if (entry->d_type == DT_REG) entries.emplace_back(entry->d_name, entry->d_ino);
  }
  ::closedir(stream);
  // Sort by name, so that the replay gives the files the same numbers.
  std::sort(entries.begin(), entries.end());
  for (const auto &[name, inode] : entries) names[name] = files[inode] = nextFile++;
  on = true;
  return true;
#else
  (void)directory, (void)log;
  return false;
#endif
}

int64_t recording_count(void) {
  std::lock_guard<std::mutex> lock(mutex);
  return count;
}

bool recording_stop(void) {
  on = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!logFile || std::fclose(logFile) != 0) hasFailed = true;
  logFile = nullptr;
  return !hasFailed;
}
