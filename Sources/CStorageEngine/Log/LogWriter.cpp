#include "LogWriter.h"

#include <algorithm>
#include <random>
#include <vector>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/PageSize.h"
#include "LogIndex.h"

namespace todana {

namespace {

constexpr int64_t kInitialZeros = 1 << 20;
constexpr int64_t kMoreZeros = 4 << 20;
// The free disk space below which a commit takes only the space that it needs.
constexpr int64_t kRoomForZeros = 32 << 20;
constexpr int64_t kLargeCommit = 256 << 10;
// The number of buffered bytes from which frames are written. A larger buffer would cost more page faults than it saves
// calls.
constexpr size_t kWriteSize = 256 << 10;
constexpr size_t kSmallBuffer = 64 << 10;
constexpr size_t kLargeBuffer = kWriteSize + kMaxPayload + 2 * kPageSize;

}  // namespace

LogWriter::LogWriter(Disk &disk, uint64_t generation, int64_t alignment, bool isStrict)
    : isStrict_(isStrict), disk_(disk), file_(disk.open(logName(generation), Disk::Mode::create)) {
  // Start at a page: zeros written later must not touch a sector with a commit. Start after the header: while zeros are
  // written over both of its copies, both could become garbage.
  zeroedTo_ = std::max(kFirstFrame, file_->size() / kPageSize * kPageSize);
  std::random_device random;
  std::memcpy(header_.magic, kLogMagic, sizeof header_.magic);
  header_.generation = generation;
  header_.salt = (static_cast<uint64_t>(random()) << 32) ^ random();
  header_.alignment = static_cast<uint32_t>(alignment);
}

LogWriter::LogWriter(Disk &disk, const LogHeader &header, int64_t tail, bool isStrict)
    : isStrict_(isStrict), disk_(disk), file_(disk.open(logName(header.generation), Disk::Mode::write)),
      header_(header), tail_(tail), zeroedTo_(pageCeiling(tail)) {
  if (!file_) throw Failure(TDN_DAMAGED, "the log is missing", logName(header.generation));
  if (endsInZeros(tail)) {
    zeroedTo_ = file_->size() / kPageSize * kPageSize;
    return;
  }
  // An unfinished commit has left bytes, which must not follow new commits.
  file_->resize(tail);
  file_->resize(zeroedTo_);
  file_->flush();
}

// Tests whether the file has only zeros from a position on, and ends at or after the next page.
bool LogWriter::endsInZeros(int64_t position) const {
  const int64_t end = file_->size();
  if (end < zeroedTo_) return false;
  std::vector<char> bytes(kSmallBuffer);
  while (position < end) {
    const size_t count = file_->read(position, bytes.data(), bytes.size());
    const auto read = bytes.begin() + static_cast<ptrdiff_t>(count);
    if (count == 0 || std::any_of(bytes.begin(), read, [](char byte) { return byte != 0; })) return false;
    position += static_cast<int64_t>(count);
  }
  return true;
}

// Writes both copies of the header, one after another. An earlier power failure may have left the first copy as
// garbage. Then that copy is written first, so that another power failure cannot destroy both.
void LogWriter::start(uint64_t firstCommit) {
  header_.firstCommit = firstCommit;
  header_.checksum = checksum(&header_, offsetof(LogHeader, checksum), 1);
  LogHeader old{};
  const bool hasFirst = file_->read(0, &old, sizeof old) == sizeof old && LogIndex::isValid(old);
  file_->write(hasFirst ? kLogHeaderCopy : 0, &header_, sizeof header_);
  if (isStrict_) file_->flush();
  file_->write(hasFirst ? 0 : kLogHeaderCopy, &header_, sizeof header_);
  if (isStrict_) file_->flush();
}

// Fills the file with zeros up to the start of a page, and further for later commits unless the disk has little room.
void LogWriter::extendZeros(int64_t end) {
  // An array has no destructor: other threads may still commit while the process exits.
  static char zeros[256 << 10];
  if (disk_.room() >= kRoomForZeros) end += zeroedTo_ == kFirstFrame ? kInitialZeros : kMoreZeros;
  while (zeroedTo_ < end) {
    int64_t count = std::min<int64_t>(sizeof zeros, end - zeroedTo_);
    file_->write(zeroedTo_, zeros, count);
    zeroedTo_ += count;
  }
}

void LogWriter::begin(uint64_t commitNumber, uint64_t flushedNumber) {
  commit_ = commitNumber;
  flushed_ = flushedNumber;
  frameIndex_ = 0;
  previousChecksum_ = 0;
  writtenTo_ = tail_;
  frameStart_ = 0;
  if (!buffer_) growBuffer(kSmallBuffer, 0);
  cursor_ = buffer_.get() + kFrameHeaderSize;
}

void LogWriter::reserve(size_t byteCount) {
  size_t payload = cursor_ - (buffer_.get() + frameStart_) - kFrameHeaderSize;
  if (payload + byteCount > kMaxPayload) {
    closeFrame(false);
    if (frameStart_ >= kWriteSize) writeOut();
  }
  size_t used = cursor_ - buffer_.get();
  // Include the operation, the padding, and the header of the next frame.
  size_t needed = used + byteCount + kFrameHeaderSize + 8;
  if (needed > bufferSize_) {
    growBuffer(std::max(needed, kLargeBuffer), used);
    cursor_ = buffer_.get() + used;
  }
}

// Grows the buffer, which is not a vector: that would fill the new bytes with zeros first.
void LogWriter::growBuffer(size_t byteCount, size_t used) {
  std::unique_ptr<char[]> buffer(new char[byteCount]);
  if (used > 0) std::memcpy(buffer.get(), buffer_.get(), used);
  buffer_ = std::move(buffer);
  bufferSize_ = byteCount;
}

void LogWriter::addBatch(const uint8_t id[16]) {
  reserve(17);
  put(kOpBatch);
  std::memcpy(cursor_, id, 16);
  cursor_ += 16;
}

void LogWriter::addFile(uint32_t number, uint8_t flags, const std::string &name, int64_t baseSize, int64_t size) {
  reserve(23 + name.size());
  put(kOpFile);
  put(number);
  put(flags);
  put(static_cast<uint8_t>(name.size()));
  put(baseSize);
  put(size);
  std::memcpy(cursor_, name.data(), name.size());
  cursor_ += name.size();
}

void LogWriter::addPage(uint32_t page, uint64_t mask, uint64_t checksum, const char *content) {
  reserve(21 + kPageSize);
  put(kOpPage);
  put(page);
  put(mask);
  put(checksum);
  if (mask == ~0ULL) {
    std::memcpy(cursor_, content, kPageSize);
    cursor_ += kPageSize;
    return;
  }
  for (; mask; mask &= mask - 1) {
    std::memcpy(cursor_, content + kBlockSize * __builtin_ctzll(mask), kBlockSize);
    cursor_ += kBlockSize;
  }
}

void LogWriter::addDirect(uint32_t firstPage, const uint64_t *checksums, size_t count) {
  constexpr size_t kMost = 8192;
  while (count > 0) {
    size_t part = std::min(count, kMost);
    reserve(9 + 8 * part);
    put(kOpDirect);
    put(firstPage);
    put(static_cast<uint32_t>(part));
    std::memcpy(cursor_, checksums, 8 * part);
    cursor_ += 8 * part;
    firstPage += static_cast<uint32_t>(part);
    checksums += part;
    count -= part;
  }
}

void LogWriter::closeFrame(bool isLast) {
  char *frame = buffer_.get() + frameStart_;
  size_t payload = cursor_ - frame - kFrameHeaderSize;
  while (payload % 8 != 0) {
    *cursor_++ = kOpEnd;
    payload++;
  }
  FrameHeader header{};
  header.magic = kFrameMagic;
  header.index = frameIndex_++ | (isLast ? kLastFrame : 0);
  header.salt = header_.salt;
  header.commit = commit_;
  header.flushed = flushed_;
  header.length = static_cast<uint32_t>(payload);
  // The checksum covers header and payload together, with zeros in its own field.
  std::memcpy(frame, &header, sizeof header);
  header.checksum = checksum(frame, kFrameHeaderSize + payload, header_.salt ^ previousChecksum_);
  std::memcpy(frame, &header, sizeof header);
  previousChecksum_ = header.checksum;
  frameStart_ = cursor_ - buffer_.get();
  cursor_ += kFrameHeaderSize;
}

void LogWriter::writeOut() {
  if (frameStart_ == 0) return;
  int64_t end = writtenTo_ + static_cast<int64_t>(frameStart_);
  if (end > zeroedTo_) {
    // A large commit fills the file itself. A small commit that reaches the end writes zeros ahead for later ones.
    if (end - tail_ < kLargeCommit) {
      extendZeros(pageCeiling(end));
    } else {
      // Round up to a page: zeros written later must not touch the last sector of this commit.
      zeroedTo_ = pageCeiling(end);
    }
  }
  file_->write(writtenTo_, buffer_.get(), frameStart_);
  writtenTo_ = end;
  size_t open = cursor_ - buffer_.get() - frameStart_;
  std::memmove(buffer_.get(), buffer_.get() + frameStart_, open);
  cursor_ = buffer_.get() + open;
  frameStart_ = 0;
}

void LogWriter::writePending() {
  if (cursor_ > buffer_.get() + frameStart_ + kFrameHeaderSize) closeFrame(false);
  writeOut();
  // The last frame will be empty. Reserve its place now, so that writing it cannot run out of space.
  if (writtenTo_ + static_cast<int64_t>(kFrameHeaderSize) > zeroedTo_) {
    extendZeros(pageCeiling(writtenTo_ + static_cast<int64_t>(kFrameHeaderSize)));
  }
}

void LogWriter::finish() {
  closeFrame(true);
  writeOut();
  int64_t alignment = header_.alignment;
  tail_ = (writtenTo_ + alignment - 1) / alignment * alignment;
  if (bufferSize_ > kSmallBuffer) buffer_ = nullptr;
}

}  // namespace todana
