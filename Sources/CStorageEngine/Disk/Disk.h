// The I/O interface. All data that must become durable go through a Disk, so that tests can simulate failures and power
// cuts.
//
// Files are named within one flat directory. Every method throws Failure on an error; none retries a failed flush. In a
// child of the process that opened a disk or file, everything except reading throws Failure(TDN_USED_AFTER_FORK). No
// destructor in a child can therefore change the parent's files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "ForkGuard.h"
#include "Mutex.h"

namespace todana {

// An open file of a Disk. The log, the data files and their checksums, the superblock, the file of keys and the backups
// are read and written through it. Any thread; calls for different ranges may run concurrently.
class DiskFile {
 public:
  virtual ~DiskFile() = default;

  // Returns the descriptor, for mapping and for comparing files only.
  virtual int descriptor() const = 0;
  virtual int64_t size() = 0;
  // Reads until the end of the range or of the file. Returns the number of bytes read.
  virtual size_t read(int64_t offset, void *buffer, size_t byteCount) = 0;
  virtual void write(int64_t offset, const void *bytes, size_t byteCount) = 0;
  virtual void resize(int64_t size) = 0;
  // Reserves blocks, so that writing to a shared mapping cannot run out of space. Extends the file.
  virtual void allocate(int64_t size) = 0;
  // Frees the space of a range, which then reads as zeros. Returns false if the file system does not support this.
  virtual bool giveBack(int64_t offset, int64_t byteCount) = 0;
  // Makes content and size durable.
  virtual void flush() = 0;
  // Tests whether the file system writes changed pages to another place. A page in allocated space then still needs
  // room, and a process that changes it in a shared mapping of a full disk gets SIGBUS.
  virtual bool isCopying() { return false; }
  // Tests whether the file has no name any more, so that its content is lost when it is closed.
  virtual bool isDeleted() { return false; }
};

// The files of one directory. StoreDirectory makes the disk of a store, which outlives the session that uses it.
// Backups and salvage make their own.
//
// Any thread: commits, checkpoints and readers that open files call it concurrently.
class Disk {
 public:
  enum class Mode { read, write, create };  // `create` also opens an existing file

  virtual ~Disk() = default;

  // Opens a file. Returns null if it does not exist (modes read and write).
  virtual std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) = 0;
  virtual void rename(const std::string &from, const std::string &to) = 0;
  // Removes a file. Does nothing if it does not exist.
  virtual void remove(const std::string &name) = 0;
  virtual std::vector<std::string> list() = 0;
  // Makes the names of all files durable that were created, renamed or removed so far.
  virtual void flushDirectory() = 0;
  // Makes every file of the directory durable, which is cheaper than flushing many files separately.
  virtual void flushAll() = 0;
  // Returns the size of the unit that the device writes entirely or not at all.
  virtual int64_t sectorSize() = 0;
  // Returns the number of bytes that this process may still write; INT64_MAX if the system does not report it.
  virtual int64_t room() = 0;
  // Tests whether the file system writes changed pages to another place (DiskFile::isCopying).
  virtual bool isCopying() { return false; }
};

// The permissions of a new directory, which admit only its owner. Files get the permissions of their directory, except
// permission to execute. The creator of the directory thus determines which users may read a store.
constexpr mode_t kDirectoryPermissions = 0700;
mode_t filePermissions(mode_t directory);

// A directory of the file system, referred to by its descriptor, so that it may be renamed. StoreDirectory,
// SeriesDirectory, PartialDirectory and SalvageSource make one. Any thread: it is immutable after its construction.
class DirectoryDisk final : public Disk {
 public:
  explicit DirectoryDisk(const std::string &path);
  ~DirectoryDisk() override;
  DirectoryDisk(const DirectoryDisk &) = delete;
  DirectoryDisk &operator=(const DirectoryDisk &) = delete;

  std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) override;
  void rename(const std::string &from, const std::string &to) override;
  void remove(const std::string &name) override;
  std::vector<std::string> list() override;
  void flushDirectory() override;
  void flushAll() override;
  int64_t sectorSize() override;
  int64_t room() override;
  bool isCopying() override;

 private:
  int directory_;
  mode_t filePermissions_ = 0600;
  const ForkGuard guard_;
};

// A disk of files without a name in the file system. They disappear when the disk is destroyed or the process is
// killed.
//
// StoreDirectory makes one for a store in memory or in temporary files. Any thread: its mutex guards the list of files.
class AnonymousDisk final : public Disk {
 public:
  // `directory`: for unlinked files in that directory; empty: files in memory.
  explicit AnonymousDisk(std::string directory) : directory_(std::move(directory)) {}
  ~AnonymousDisk() override;
  AnonymousDisk(const AnonymousDisk &) = delete;
  AnonymousDisk &operator=(const AnonymousDisk &) = delete;

  std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) override;
  void rename(const std::string &from, const std::string &to) override;
  void remove(const std::string &name) override;
  std::vector<std::string> list() override;
  void flushDirectory() override {}
  void flushAll() override {}
  int64_t sectorSize() override { return 512; }
  int64_t room() override { return INT64_MAX; }

 private:
  const std::string directory_;
  Mutex mutex_;
  std::map<std::string, int> descriptors_ TDN_GUARDED_BY(mutex_);
  const ForkGuard guard_;
};

}  // namespace todana
