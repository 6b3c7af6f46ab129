#include "Disk.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#endif

#include "Failure.h"
#include "SystemCall.h"

namespace todana {

namespace {

// Tests whether a file system may write changed pages to another place. True for an unknown one: copies of files are then
// written a little slower, and a disk counts as full a little earlier.
bool copiesPages(int descriptor) {
#ifdef __linux__
  struct statfs status;
  if (::fstatfs(descriptor, &status) != 0) return true;
  switch (static_cast<unsigned>(status.f_type)) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case TMPFS_MAGIC: return false;
    default: return true;
  }
#else
  (void)descriptor;
  return true;
#endif
}

class PosixFile final : public DiskFile {
 public:
  // `isDurable` false: no content must survive the process, so flushes do nothing.
  PosixFile(int descriptor, std::string name, bool owns, bool isDurable)
      : descriptor_(descriptor), name_(std::move(name)), owns_(owns), isDurable_(isDurable) {}
  ~PosixFile() override {
    if (owns_) ::close(descriptor_);
  }

  int descriptor() const override { return descriptor_; }

  int64_t size() override {
    struct stat status;
    if (::fstat(descriptor_, &status) != 0) throw Failure::fromErrno(errno, "cannot read the size of a file", name_);
    return status.st_size;
  }

  size_t read(int64_t offset, void *buffer, size_t byteCount) override {
    size_t done = 0;
    while (done < byteCount) {
      ssize_t count = uninterrupted(
        [&] { return ::pread(descriptor_, static_cast<char *>(buffer) + done, byteCount - done, offset + done); });
      if (count == 0) break;
      if (count < 0) throw Failure::fromErrno(errno, "cannot read", name_);
      done += count;
    }
    return done;
  }

  void write(int64_t offset, const void *bytes, size_t byteCount) override {
    guard_.requireOwnProcess();
    size_t done = 0;
    while (done < byteCount) {
      ssize_t count = uninterrupted(
        [&] { return ::pwrite(descriptor_, static_cast<const char *>(bytes) + done, byteCount - done, offset + done); });
      if (count < 0) {
        const int failed = errno;
        const bool isFull = failed == ENOSPC || failed == EDQUOT;
        const std::string missing = isFull ? " " + std::to_string(byteCount - done) + " more bytes" : "";
        throw Failure::fromErrno(failed, "cannot write" + missing, name_);
      }
      done += count;
    }
  }

  void resize(int64_t size) override {
    guard_.requireOwnProcess();
    if (uninterrupted([&] { return ::ftruncate(descriptor_, size); }) != 0) {
      throw Failure::fromErrno(errno, "cannot change the size of a file", name_);
    }
  }

  void allocate(int64_t size) override {
    guard_.requireOwnProcess();
#ifdef __linux__
    int failed = 0;
    while ((failed = ::posix_fallocate(descriptor_, 0, size)) == EINTR) {
    }
    if (failed != 0) throw Failure::fromErrno(failed, "cannot reserve space", name_);
#else
    // The system has no call to allocate: write zeros to take the space.
    static const char zeros[64 << 10] = {};
    for (int64_t offset = this->size(); offset < size; offset += sizeof zeros) {
      write(offset, zeros, std::min<int64_t>(sizeof zeros, size - offset));
    }
#endif
  }

  bool giveBack(int64_t offset, int64_t byteCount) override {
    guard_.requireOwnProcess();
#ifdef __linux__
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (uninterrupted([&] { return ::fallocate(descriptor_, mode, offset, byteCount); }) == 0) return true;
    if (errno != EOPNOTSUPP) throw Failure::fromErrno(errno, "cannot free space", name_);
#else
    (void)offset;
    (void)byteCount;
#endif
    return false;
  }

  void flush() override {
    guard_.requireOwnProcess();
    if (!isDurable_) return;
#ifdef __linux__
    int failed = ::fdatasync(descriptor_);
#else
    int failed = ::fcntl(descriptor_, F_FULLFSYNC);
#endif
    if (failed != 0) throw Failure::fromErrno(errno, "cannot flush", name_);
  }

  bool isCopying() override { return copiesPages(descriptor_); }

  bool isDeleted() override {
    struct stat status;
    return isDurable_ && ::fstat(descriptor_, &status) == 0 && status.st_nlink == 0;
  }

 private:
  const int descriptor_;
  const std::string name_;
  const bool owns_;
  const bool isDurable_;
  const ForkGuard guard_;
};

}  // namespace

mode_t filePermissions(mode_t directory) { return directory & 0666; }

// MARK: DirectoryDisk

DirectoryDisk::DirectoryDisk(const std::string &path) {
  directory_ = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (directory_ < 0) throw Failure::fromErrno(errno, "cannot open the directory", path);
  struct stat status;
  if (::fstat(directory_, &status) == 0) filePermissions_ = filePermissions(status.st_mode);
}

DirectoryDisk::~DirectoryDisk() { ::close(directory_); }

std::unique_ptr<DiskFile> DirectoryDisk::open(const std::string &name, Mode mode) {
  if (mode != Mode::read) guard_.requireOwnProcess();
  int flags = O_CLOEXEC | O_NOFOLLOW;
  switch (mode) {
    case Mode::read: flags |= O_RDONLY; break;
    case Mode::write: flags |= O_RDWR; break;
    case Mode::create: flags |= O_RDWR | O_CREAT; break;
  }
  const int descriptor = uninterrupted([&] { return ::openat(directory_, name.c_str(), flags, filePermissions_); });
  if (descriptor < 0) {
    if (errno == ENOENT && mode != Mode::create) return nullptr;
    throw Failure::fromErrno(errno, "cannot open", name);
  }
  return std::make_unique<PosixFile>(descriptor, name, true, true);
}

void DirectoryDisk::rename(const std::string &from, const std::string &to) {
  guard_.requireOwnProcess();
  // A replaced file keeps its permissions, which its owner may have restricted. If this process may not change those of
  // the new file, the file has the permissions of every new file.
  struct stat status;
  if (::fstatat(directory_, to.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    [[maybe_unused]] int changed = ::fchmodat(directory_, from.c_str(), status.st_mode & 0777, 0);
  }
  if (::renameat(directory_, from.c_str(), directory_, to.c_str()) != 0) {
    throw Failure::fromErrno(errno, "cannot rename to " + to, from);
  }
}

void DirectoryDisk::remove(const std::string &name) {
  guard_.requireOwnProcess();
  if (::unlinkat(directory_, name.c_str(), 0) != 0 && errno != ENOENT) {
    throw Failure::fromErrno(errno, "cannot remove", name);
  }
}

std::vector<std::string> DirectoryDisk::list() {
  std::vector<std::string> names;
  int descriptor = uninterrupted([&] { return ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  DIR *stream = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
  if (!stream) {
    int failed = errno;
    if (descriptor >= 0) ::close(descriptor);
    throw Failure::fromErrno(failed, "cannot list the directory", ".");
  }
  while (const dirent *entry = ::readdir(stream)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  ::closedir(stream);
  return names;
}

void DirectoryDisk::flushDirectory() {
  if (::fsync(directory_) != 0) throw Failure::fromErrno(errno, "cannot flush the directory", ".");
}

void DirectoryDisk::flushAll() {
#ifdef __linux__
  if (::syncfs(directory_) != 0) throw Failure::fromErrno(errno, "cannot flush the file system", ".");
#else
  ::sync();
#endif
}

int64_t DirectoryDisk::sectorSize() {
#ifdef __linux__
  struct stat status;
  if (::fstat(directory_, &status) == 0) {
    // A partition has no directory `queue` of its own. Its disk's `queue` is one level up.
    for (const char *queue : {"/queue/physical_block_size", "/../queue/physical_block_size"}) {
      std::string path = "/sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                         std::to_string(minor(status.st_dev)) + queue;
      FILE *file = std::fopen(path.c_str(), "re");
      if (!file) continue;
      long size = 0;
      int count = std::fscanf(file, "%ld", &size);
      std::fclose(file);
      if (count == 1 && (size == 512 || size == 4096)) return size;
    }
  }
#endif
  return 512;
}

int64_t DirectoryDisk::room() {
  struct statvfs status;
  if (::fstatvfs(directory_, &status) != 0) return INT64_MAX;
  // The rest is reserved for root, or for the file system itself.
  const auto blocks = static_cast<int64_t>(status.f_bavail);
  return blocks > INT64_MAX / static_cast<int64_t>(status.f_frsize) ? INT64_MAX
                                                                    : blocks * static_cast<int64_t>(status.f_frsize);
}

bool DirectoryDisk::isCopying() { return copiesPages(directory_); }

// MARK: AnonymousDisk

AnonymousDisk::~AnonymousDisk() {
  for (const auto &[name, descriptor] : descriptors_) ::close(descriptor);
}

std::unique_ptr<DiskFile> AnonymousDisk::open(const std::string &name, Mode mode) {
  if (mode != Mode::read) guard_.requireOwnProcess();
  MutexLock lock(mutex_);
  auto found = descriptors_.find(name);
  if (found == descriptors_.end()) {
    if (mode != Mode::create) return nullptr;
    int descriptor = -1;
#ifdef __linux__
    descriptor = directory_.empty() ? ::memfd_create("todana", MFD_CLOEXEC)
                                    : uninterrupted([&] {
                                        return ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
                                      });
#endif
    if (descriptor < 0) {
      // The call is missing, or not supported by the file system: create a file and unlink it immediately.
      std::string path = (directory_.empty() ? std::string("/tmp") : directory_) + "/todana-XXXXXX";
      descriptor = ::mkostemp(path.data(), O_CLOEXEC);
      if (descriptor < 0) throw Failure::fromErrno(errno, "cannot create a temporary file", path);
      ::unlink(path.c_str());
    }
    found = descriptors_.emplace(name, descriptor).first;
  }
  return std::make_unique<PosixFile>(found->second, name, false, false);
}

void AnonymousDisk::rename(const std::string &from, const std::string &to) {
  MutexLock lock(mutex_);
  auto found = descriptors_.find(from);
  if (found == descriptors_.end()) throw Failure::fromErrno(ENOENT, "cannot rename to " + to, from);
  auto replaced = descriptors_.find(to);
  if (replaced != descriptors_.end()) {
    ::close(replaced->second);
    descriptors_.erase(replaced);
  }
  descriptors_[to] = found->second;
  descriptors_.erase(from);
}

void AnonymousDisk::remove(const std::string &name) {
  MutexLock lock(mutex_);
  auto found = descriptors_.find(name);
  if (found == descriptors_.end()) return;
  ::close(found->second);
  descriptors_.erase(found);
}

std::vector<std::string> AnonymousDisk::list() {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto &[name, descriptor] : descriptors_) names.push_back(name);
  return names;
}

}  // namespace todana
