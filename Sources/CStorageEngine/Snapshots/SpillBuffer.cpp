#include "SpillBuffer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "../../CSealing/Primitives/AesGcm.h"
#include "../Disk/Failure.h"
#include "../Disk/SystemCall.h"

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
  if (descriptor < 0) throw Failure::fromErrno(errno, "cannot create a temporary file", directory);
  return descriptor;
}

constexpr size_t kKeySize = 16;

// The position of the bytes suffices as a nonce: the key belongs to this file only, and each place is written once.
struct Nonce {
  uint8_t bytes[kNonceSize] = {};
  explicit Nonce(uint64_t position) { std::memcpy(bytes, &position, sizeof position); }
};

}  // namespace

SpillBuffer::~SpillBuffer() {
  if (budget_) budget_->giveBack(static_cast<int64_t>(chunks_.size() * kChunkSize));
  if (descriptor_ >= 0) ::close(descriptor_);
}

uint64_t SpillBuffer::append(const char *bytes, size_t byteCount) {
  if (fileSize_ == 0 && fitsIntoMemory(byteCount)) {
    uint64_t position = memorySize_;
    while (byteCount > 0) {
      uint64_t offset = memorySize_ % kChunkSize;
      size_t part = std::min<size_t>(byteCount, kChunkSize - offset);
      std::memcpy(chunks_[memorySize_ / kChunkSize].get() + offset, bytes, part);
      memorySize_ += part;
      bytes += part;
      byteCount -= part;
    }
    return position;
  }
  if (descriptor_ < 0) descriptor_ = openTemporaryFile();
  if (!seals_) return appendToFile(bytes, byteCount) | kInFile;
  if (key_.isEmpty()) key_ = SecretBytes::random(kKeySize);
  std::vector<char> sealed(byteCount + kTagSize);
  auto *output = reinterpret_cast<uint8_t *>(sealed.data());
  AesGcm(key_).seal(Nonce(fileSize_).bytes, {nullptr, 0}, {bytes, byteCount}, output, output + byteCount);
  return appendToFile(sealed.data(), sealed.size()) | kInFile;
}

// Makes room in memory, if the budget permits it.
bool SpillBuffer::fitsIntoMemory(size_t byteCount) {
  while (memorySize_ + byteCount > chunks_.size() * kChunkSize) {
    if (!budget_ || !budget_->take(kChunkSize)) return false;
    try {
      chunks_.emplace_back(new char[kChunkSize]);
    } catch (...) {
      budget_->giveBack(kChunkSize);
      throw;
    }
  }
  return true;
}

uint64_t SpillBuffer::appendToFile(const char *bytes, size_t byteCount) {
  guard_.requireOwnProcess();  // the file is the parent's
  const uint64_t position = fileSize_;
  while (byteCount > 0) {
    ssize_t written = ::pwrite(descriptor_, bytes, byteCount, static_cast<off_t>(fileSize_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw Failure::fromErrno(written < 0 ? errno : ENOSPC, "cannot write a temporary file", "");
    }
    fileSize_ += static_cast<uint64_t>(written);
    bytes += written;
    byteCount -= static_cast<size_t>(written);
  }
  return position;
}

void SpillBuffer::read(uint64_t position, char *buffer, size_t byteCount) const {
  if (position & kInFile) {
    position &= ~kInFile;
    if (!seals_) return readFromFile(position, buffer, byteCount);
    std::vector<char> sealed(byteCount + kTagSize);
    readFromFile(position, sealed.data(), sealed.size());
    const auto *input = reinterpret_cast<const uint8_t *>(sealed.data());
    // Several threads may read at the same time, so each uses a cipher context of its own.
    const bool isAuthentic = AesGcm(key_).open(
      Nonce(position).bytes, {nullptr, 0}, {input, byteCount}, reinterpret_cast<uint8_t *>(buffer), input + byteCount);
    if (!isAuthentic) throw Failure(TDN_IO, "a temporary file was changed by another program");
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

void SpillBuffer::readFromFile(uint64_t position, char *buffer, size_t byteCount) const {
  while (byteCount > 0) {
    ssize_t count = uninterrupted([&] { return ::pread(descriptor_, buffer, byteCount, static_cast<off_t>(position)); });
    if (count <= 0) throw Failure::fromErrno(count < 0 ? errno : EIO, "cannot read a temporary file", "");
    position += static_cast<uint64_t>(count);
    buffer += count;
    byteCount -= static_cast<size_t>(count);
  }
}

}  // namespace todana
