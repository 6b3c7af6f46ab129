// The writer that appends commits to one generation of the redo log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../Disk/Disk.h"
#include "LogFormat.h"

namespace todana {

// The open log of one generation. A commit counts as soon as its last frame is written, by `finish`.
//
// LogPair owns the current one; Checkpointer and FileGroup start it; FileGroup, DataFile and DirectWrites append a
// commit to it. One thread at a time, under the commit mutex; a new one belongs to the thread that makes it.
class LogWriter {
 public:
  // Opens a generation's file. The first small commit fills it with zeros, so that later commits change no metadata. If
  // the disk has little room, a commit takes only the space that it needs. `isStrict`: a torn sector may contain
  // garbage. A copy of the header is then written only if the other copy is readable or was never written.
  LogWriter(Disk &disk, uint64_t generation, int64_t alignment, bool isStrict);

  // Opens a log again that has commits up to `tail`, to append further ones. Removes everything after them first: parts
  // of commits that a power failure has left could otherwise follow the new ones.
  LogWriter(Disk &disk, const LogHeader &header, int64_t tail, bool isStrict);

  // Writes the header, before the first commit. The flush of that commit makes it durable.
  void start(uint64_t firstCommit);

  uint64_t generation() const { return header_.generation; }
  // Returns the size of the used part of the log.
  int64_t tail() const { return tail_; }
  DiskFile &file() { return *file_; }
  std::shared_ptr<DiskFile> sharedFile() { return file_; }

  // Begins a commit, which operations and `finish` complete. The commit does not count until `finish` returns. Before
  // that, another `begin` discards it.
  void begin(uint64_t commitNumber, uint64_t flushedNumber);
  void addBatch(const uint8_t id[16]);
  void addFile(uint32_t number, uint8_t flags, const std::string &name, int64_t baseSize, int64_t size);
  void addPage(uint32_t page, uint64_t mask, uint64_t checksum, const char *content);
  void addDirect(uint32_t firstPage, const uint64_t *checksums, size_t count);
  // Writes all frames except the last one, so that `finish` only has to write that one.
  void writePending();
  void finish();

 private:
  void reserve(size_t byteCount);
  void growBuffer(size_t byteCount, size_t used);
  template <class T> void put(T value) {
    std::memcpy(cursor_, &value, sizeof value);
    cursor_ += sizeof value;
  }
  void closeFrame(bool isLast);
  void writeOut();
  bool endsInZeros(int64_t position) const;
  void extendZeros(int64_t end);

  const bool isStrict_;
  Disk &disk_;
  std::shared_ptr<DiskFile> file_;
  LogHeader header_{};
  int64_t tail_ = kFirstFrame;       // start of the next commit
  int64_t zeroedTo_ = 0;             // end of the filled part, the start of a page
  // -- The commit being written
  std::unique_ptr<char[]> buffer_;   // unwritten frames, the open one last
  size_t bufferSize_ = 0;
  size_t frameStart_ = 0;
  char *cursor_ = nullptr;           // in the open frame
  int64_t writtenTo_ = 0;            // file offset of buffer_[0]
  uint64_t commit_ = 0;
  uint64_t flushed_ = 0;
  uint32_t frameIndex_ = 0;
  uint64_t previousChecksum_ = 0;
};

}  // namespace todana
