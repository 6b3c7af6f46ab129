#include "DirectoryLock.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "Disk.h"
#include "Failure.h"
#include "SystemCall.h"

namespace todana {

namespace {

struct Holder {
  int64_t process = 0;
  std::string since;
  std::string program;
};

// Reads the description that a writer left of itself. It may come from an earlier holder.
Holder readHolder(int descriptor) {
  char text[512] = {};
  if (::pread(descriptor, text, sizeof text - 1, 0) <= 0) return {};
  std::istringstream lines(text);
  Holder holder;
  std::string process;
  std::getline(lines, process);
  std::getline(lines, holder.since);
  std::getline(lines, holder.program);
  holder.process = std::strtoll(process.c_str(), nullptr, 10);
  return holder;
}

// Returns the process that holds the lock according to the system, because readers leave no description.
int64_t findHolder(int descriptor) {
#ifdef __linux__
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return 0;
  const std::string inode = ":" + std::to_string(status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number, kind, advisory, access, process, file;
    fields >> number >> kind >> advisory >> access >> process >> file;
    const bool isThisFile =
      file.size() > inode.size() && file.compare(file.size() - inode.size(), inode.size(), inode) == 0;
    if (kind == "FLOCK" && isThisFile) return std::strtoll(process.c_str(), nullptr, 10);
  }
#else
  (void)descriptor;
#endif
  return 0;
}

std::string programOf(int64_t process) {
#ifdef __linux__
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
#else
  (void)process;
  return {};
#endif
}

[[noreturn]] void throwInUse(int descriptor, const std::string &directory, const std::string &locked) {
  Holder holder = readHolder(descriptor);
  const int64_t process = findHolder(descriptor);
  if (process != 0 && process != holder.process) holder = {process, "", programOf(process)};
  std::string message = locked + " is in use";
  // A forked child has the open file, too, and keeps the lock if its parent ends.
  const bool hasEnded = holder.process != 0 && ::kill(static_cast<pid_t>(holder.process), 0) != 0 && errno == ESRCH;
  if (hasEnded) message += " by a child that was forked";
  if (holder.process != 0) message += " by process " + std::to_string(holder.process);
  if (!holder.program.empty() || !holder.since.empty()) {
    message += " (" + holder.program;
    if (!holder.since.empty()) message += (holder.program.empty() ? "since " : ", since ") + holder.since;
    message += ")";
  }
  message += ": close it there, or wait for it";
  Failure failure(TDN_IN_USE, message, directory);
  failure.process = holder.process;
  throw failure;
}

// Returns the current time as text. Does not use gmtime_r(), which first reads the file of the local time zone.
std::string now() {
  const int64_t time = std::time(nullptr);
  // Converts days to years and months as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms". Years begin
  // in March, so that the leap day comes last. They repeat after 400, an era.
  const int64_t days = time / 86400 + 719468;
  const int64_t era = days / 146097;
  const int64_t dayOfEra = days % 146097;
  const int64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const int64_t monthFromMarch = (5 * dayOfYear + 2) / 153;
  const int64_t day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const int64_t month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const int64_t year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", int(year), int(month), int(day),
                int(time / 3600 % 24), int(time / 60 % 60), int(time % 60));
  return text;
}

void writeHolder(int descriptor, const std::string &program) {
  const std::string text = std::to_string(::getpid()) + "\n" + now() + "\n" +
                           (program.empty() ? programOf(::getpid()) : program) + "\n";
  // The text is only used in messages of other processes, so a full disk must not keep the store from opening. Cut the
  // file afterwards, and only if necessary: freeing and allocating a block takes the file system some time.
  const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
  struct stat status;
  if (written >= 0 && ::fstat(descriptor, &status) == 0 && status.st_size > written) {
    [[maybe_unused]] int cut = ::ftruncate(descriptor, written);
  }
}

}  // namespace

std::unique_ptr<DirectoryLock> DirectoryLock::acquire(
  const std::string &directory, Kind kind, bool creates, int64_t waitMilliseconds, const std::string &program,
  const std::string &name, const std::string &locked) {
  const std::string path = directory + "/" + name;
  const int access = kind == Kind::exclusive ? O_RDWR : O_RDONLY;
  const int flags = access | O_CLOEXEC | (creates ? O_CREAT : 0);
  struct stat status;
  const mode_t permissions = ::stat(directory.c_str(), &status) == 0 ? filePermissions(status.st_mode) : 0600;
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), flags, permissions); });
  if (descriptor < 0) {
    if (errno == ENOENT && !creates) return nullptr;
    throw Failure::fromErrno(errno, "cannot open the lock file", path);
  }
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(descriptor));
  const auto deadline =
    std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min<int64_t>(waitMilliseconds, INT32_MAX));
  // The lock belongs to the open file, not to the process: a second opening in the same process is refused, too.
  const int operation = (kind == Kind::exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
  while (::flock(descriptor, operation) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) throw Failure::fromErrno(errno, "cannot lock " + locked, path);
    if (std::chrono::steady_clock::now() >= deadline) throwInUse(descriptor, directory, locked);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (kind == Kind::exclusive) writeHolder(descriptor, program);
  return lock;
}

DirectoryLock::DirectoryLock(int descriptor) : descriptor_(descriptor) {}

bool DirectoryLock::isOf(int descriptor) const {
  struct stat own, other;
  return ::fstat(descriptor_, &own) == 0 && ::fstat(descriptor, &other) == 0 && own.st_dev == other.st_dev &&
         own.st_ino == other.st_ino;
}

DirectoryLock::~DirectoryLock() {
  // Unlock explicitly: a child process has the open file, too, until it starts its program, so closing alone would
  // leave the lock with it. A copy of this object in a child must not release the lock of its parent.
  if (!guard_.isInChild()) ::flock(descriptor_, LOCK_UN);
  ::close(descriptor_);
}

}  // namespace todana
