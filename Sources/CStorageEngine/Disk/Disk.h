// The I/O seam: everything that must become durable goes through a Disk, so that tests can fail it or cut its power.
//
// Files are named within one flat directory. Every method throws Failure on an error; none retries a failed flush.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "Mutex.h"

namespace todana {

// An open file of a Disk. The log, the data files and their checksums, the superblock, the file of keys and the backups
// are read and written through it. Any thread; calls for different ranges may run at once.
class DiskFile {
 public:
  virtual ~DiskFile() = default;

  // Returns the descriptor, for mapping and for comparing files only.
  virtual int descriptor() const = 0;
  virtual int64_t size() = 0;
  // Reads until the range or the file ends; returns the bytes read.
  virtual size_t read(int64_t offset, void *buffer, size_t byteCount) = 0;
  virtual void write(int64_t offset, const void *bytes, size_t byteCount) = 0;
  virtual void resize(int64_t size) = 0;
  // Reserves blocks, so that a store into a shared mapping cannot run out of space. Extends the file.
  virtual void allocate(int64_t size) = 0;
  // Frees the space of a range, which reads as zeros from then on. Returns false if the file system cannot do that.
  virtual bool giveBack(int64_t offset, int64_t byteCount) = 0;
  // Makes content and size durable.
  virtual void flush() = 0;
};

// The files of one directory. StoreDirectory makes the disk of a store, and owns it longer than the session that uses
// it; backups and salvage make their own.
//
// Any thread: commits, checkpoints and readers that open files call it at the same time.
class Disk {
 public:
  enum class Mode { read, write, create };  // `create` opens what exists, too

  virtual ~Disk() = default;

  // Opens a file. Returns null if it does not exist (modes read and write).
  virtual std::unique_ptr<DiskFile> open(const std::string &name, Mode mode) = 0;
  virtual void rename(const std::string &from, const std::string &to) = 0;
  // Removes a file. Does nothing if there is none.
  virtual void remove(const std::string &name) = 0;
  virtual std::vector<std::string> list() = 0;
  // Makes names durable: of files created, renamed and removed so far.
  virtual void flushDirectory() = 0;
  // Makes every file of the directory durable: cheaper than flushing many files one by one.
  virtual void flushAll() = 0;
  // Returns the unit that the device writes entirely or not at all.
  virtual int64_t sectorSize() = 0;
  // Returns the bytes that this process may still write; the largest number if the system does not report them.
  virtual int64_t room() = 0;
};

// Permissions of a new directory: for its owner alone. Files get the permissions of their directory, without those to
// execute. The user who makes the directory thus decides which users may read a store.
constexpr mode_t kDirectoryPermissions = 0700;
mode_t filePermissions(mode_t directory);

// A directory of the file system, held by its descriptor, so that renaming it does no harm. StoreDirectory,
// SeriesDirectory, PartialDirectory and SalvageSource make one. Any thread: it changes nothing after its construction.
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

 private:
  int directory_;
  mode_t filePermissions_ = 0600;
};

// Files without a name in the file system: gone when the disk is destroyed, and when the process is killed.
//
// StoreDirectory makes one for a store in memory or in temporary files. Any thread: its mutex guards the list of files.
class AnonymousDisk final : public Disk {
 public:
  // `directory` empty: in memory; else unlinked files of that directory.
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
};

}  // namespace todana
