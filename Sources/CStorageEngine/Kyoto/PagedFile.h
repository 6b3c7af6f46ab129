// The replacement of `kyotocabinet::File` for stock Kyoto Cabinet code. It works on a DataFile of the group.
//
// The group handles durability, transactions and repair, so those methods do nothing here. No exception may pass
// through stock code, which locks without guards. A FilePort keeps the failure, and HashWriter throws it after stock
// code has returned.
#pragma once

#include <kcfile.h>

#include <cstdint>
#include <exception>
#include <string>

#include "../Pages/DataFile.h"

namespace todana {

// The file that a PagedFile works on. HashWriter owns it. Used by the thread that uses the HashWriter.
struct FilePort {
  DataFile *file = nullptr;
  // False after a rollback: stock objects that are destroyed later must not write their cached bytes.
  bool isWritable = true;
  std::exception_ptr failure;

  // Throws the failure of a PagedFile's method, if one failed.
  void rethrowFailure() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }
};

// The methods that stock code calls. PagedHashDB owns one. Used by the thread that uses the HashWriter, because the
// HashWriter calls the stock code.
class PagedFile {
 public:
  enum OpenMode {
    OREADER = kyotocabinet::File::OREADER,
    OWRITER = kyotocabinet::File::OWRITER,
    OCREATE = kyotocabinet::File::OCREATE,
    OTRUNCATE = kyotocabinet::File::OTRUNCATE,
    ONOLOCK = kyotocabinet::File::ONOLOCK,
    OTRYLOCK = kyotocabinet::File::OTRYLOCK,
  };
  static constexpr char EXTCHR = '.';

  PagedFile() = default;
  PagedFile(const PagedFile &) = delete;
  PagedFile &operator=(const PagedFile &) = delete;

  void attach(FilePort *port) { port_ = port; }

  // Fails: a file is attached, and never opened by path.
  bool open(const std::string & /* path */, uint32_t /* mode */, int64_t /* mappingSize */) {
    return fail("open failed (a file is attached, not opened)");
  }
  bool close() {
    port_ = nullptr;
    return true;
  }

  bool read(int64_t offset, void *buffer, size_t byteCount) { return read_fast(offset, buffer, byteCount); }
  bool read_fast(int64_t offset, void *buffer, size_t byteCount) {
    try {
      return port_->file->read(offset, buffer, byteCount) || fail("read out of bounds");
    } catch (...) {
      return keepFailure();
    }
  }

  bool write(int64_t offset, const void *bytes, size_t byteCount) {
    if (!port_->isWritable) return fail("the file was rolled back");
    try {
      port_->file->write(offset, bytes, byteCount);
      return true;
    } catch (...) {
      return keepFailure();
    }
  }
  // Overwrites bytes. Never extends the file.
  bool write_fast(int64_t offset, const void *bytes, size_t byteCount) {
    int64_t size = port_->file->size();
    if (offset < 0 || byteCount > static_cast<uint64_t>(size) || offset > size - static_cast<int64_t>(byteCount)) {
      return fail("write out of bounds");
    }
    return write(offset, bytes, byteCount);
  }
  bool append(const void *bytes, size_t byteCount) { return write(size(), bytes, byteCount); }

  // Grows the file. Fails for a smaller size, because stock code never has to shrink a data file.
  bool truncate(int64_t newSize) {
    if (newSize < size()) return fail("truncation is not supported");
    if (!port_->isWritable) return fail("the file was rolled back");
    try {
      port_->file->grow(newSize);
      return true;
    } catch (...) {
      return keepFailure();
    }
  }

  int64_t size() const { return port_->file->size(); }
  std::string path() const { return {}; }
  const char *error() const { return error_; }

  bool synchronize(bool) { return true; }
  bool refresh() { return true; }
  bool begin_transaction(bool, int64_t) { return true; }
  bool end_transaction(bool) { return true; }
  bool write_transaction(int64_t, size_t) { return true; }
  bool recovered() const { return false; }

  // Stock code calls these three only to reorganize a file, which the engine never requests.
  static bool remove(const std::string &) { return false; }
  static bool rename(const std::string &, const std::string &) { return false; }
  static bool synchronize_whole() { return true; }

 private:
  bool fail(const char *error) {
    error_ = error;
    return false;
  }
  bool keepFailure() {
    if (!port_->failure) port_->failure = std::current_exception();
    return fail("the file failed");
  }

  FilePort *port_ = nullptr;
  const char *error_ = "no error";
};

}  // namespace todana
