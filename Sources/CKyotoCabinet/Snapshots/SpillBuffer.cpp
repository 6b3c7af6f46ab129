#include "SpillBuffer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "../Failure.h"
#include "../SystemCall.h"

namespace todana {

namespace {

int openTemporaryFile() {
  const char *variable = std::getenv("TMPDIR");
  std::string directory = variable && *variable ? variable : "/tmp";
  int descriptor =
    uninterrupted([&] { return ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600); });
  if (descriptor < 0) {  // not every file system has O_TMPFILE
    std::string path = directory + "/todana-XXXXXX";
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(path.c_str());
  }
  if (descriptor < 0) throw Failure::fromErrno(errno, "cannot create a temporary file for a snapshot", directory);
  return descriptor;
}

}  // namespace

SpillBuffer::~SpillBuffer() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

uint64_t SpillBuffer::append(const char *bytes, size_t byteCount) {
  if (fileSize_ == 0 && static_cast<int64_t>(memorySize_ + byteCount) <= memoryLimit_) {
    uint64_t position = memorySize_;
    while (byteCount > 0) {
      uint64_t offset = memorySize_ % kChunkSize;
      if (memorySize_ / kChunkSize == chunks_.size()) chunks_.emplace_back(new char[kChunkSize]);
      size_t part = std::min<size_t>(byteCount, kChunkSize - offset);
      std::memcpy(chunks_.back().get() + offset, bytes, part);
      memorySize_ += part;
      bytes += part;
      byteCount -= part;
    }
    return position;
  }
  if (descriptor_ < 0) descriptor_ = openTemporaryFile();
  uint64_t position = fileSize_;
  while (byteCount > 0) {
    ssize_t written = ::pwrite(descriptor_, bytes, byteCount, static_cast<off_t>(fileSize_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw Failure::fromErrno(written < 0 ? errno : ENOSPC, "cannot write a snapshot's temporary file", "");
    }
    fileSize_ += static_cast<uint64_t>(written);
    bytes += written;
    byteCount -= static_cast<size_t>(written);
  }
  return position | kInFile;
}

void SpillBuffer::read(uint64_t position, char *buffer, size_t byteCount) const {
  if (position & kInFile) {
    position &= ~kInFile;
    while (byteCount > 0) {
      ssize_t count =
        uninterrupted([&] { return ::pread(descriptor_, buffer, byteCount, static_cast<off_t>(position)); });
      if (count <= 0) throw Failure::fromErrno(count < 0 ? errno : EIO, "cannot read a snapshot's temporary file", "");
      position += static_cast<uint64_t>(count);
      buffer += count;
      byteCount -= static_cast<size_t>(count);
    }
    return;
  }
  while (byteCount > 0) {
    uint64_t offset = position % kChunkSize;
    size_t part = std::min<size_t>(byteCount, kChunkSize - offset);
    std::memcpy(buffer, chunks_[position / kChunkSize].get() + offset, part);
    position += part;
    buffer += part;
    byteCount -= part;
  }
}

}  // namespace todana
