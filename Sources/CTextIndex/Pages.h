// The pages of a segment: streams of bytes, each cut into pages of 8 KiB.
#pragma once

#include <cstring>

#include "Coding.h"

namespace todana::text {

constexpr size_t kPageSize = 8192;

// The parts of a segment. Pages of different parts are written at the same time, so each part has every eighth number.
enum class Part : uint8_t { dictionary = 0, postings = 1, positions = 2, rows = 3, lengths = 4, fences = 5 };
constexpr uint64_t kPartCount = 8;

// Returns the number of a page, from 1.
constexpr uint64_t pageNumber(Part part, uint64_t index) {
  return index * kPartCount + static_cast<uint64_t>(part) + 1;
}

// The receiver of pages; each of them is written once.
class PageSink {
 public:
  virtual ~PageSink() = default;
  // Throws CallerFailed.
  virtual void write(uint64_t number, const uint8_t *bytes, size_t count) = 0;
};

class PageSource {
 public:
  virtual ~PageSource() = default;
  // Reads a page into a buffer of kPageSize bytes, and returns its size. Throws CallerFailed, Damaged.
  virtual size_t read(uint64_t number, uint8_t *buffer) = 0;
};

// Writes the bytes of a part.
class StreamWriter {
 public:
  StreamWriter(PageSink &sink, Part part) : sink_(sink), part_(part) {}

  // The address of the next byte.
  uint64_t address() const { return address_; }

  void append(const uint8_t *bytes, size_t count) {
    address_ += count;
    while (count > 0) {
      const size_t step = count < kPageSize - used_ ? count : kPageSize - used_;
      std::memcpy(page_ + used_, bytes, step);
      used_ += step;
      bytes += step;
      count -= step;
      if (used_ == kPageSize) flush();
    }
  }
  void append(const Bytes &bytes) { append(bytes.data(), bytes.size()); }

  // Writes the last page.
  void finish() {
    if (used_ > 0) flush();
  }

 private:
  void flush() {
    sink_.write(pageNumber(part_, pages_), page_, used_);
    pages_++;
    used_ = 0;
  }

  PageSink &sink_;
  const Part part_;
  uint64_t address_ = 0;
  uint64_t pages_ = 0;
  size_t used_ = 0;
  uint8_t page_[kPageSize];
};

// Reads the bytes of a part. Keeps the last page.
class StreamReader {
 public:
  // `size` is the number of bytes of the part.
  StreamReader(PageSource &source, Part part, uint64_t size) : source_(source), part_(part), streamSize_(size) {}

  uint64_t streamSize() const { return streamSize_; }

  // Throws Damaged if a range lies outside of the part.
  void require(uint64_t address, uint64_t count) const {
    if (address > streamSize_ || count > streamSize_ - address) throw Damaged();
  }

  void read(uint64_t address, size_t count, uint8_t *bytes) {
    require(address, count);
    while (count > 0) {
      const size_t offset = address % kPageSize;
      const uint8_t *const page = this->page(address / kPageSize);
      const size_t step = count < size_ - offset ? count : size_ - offset;
      std::memcpy(bytes, page + offset, step);
      address += step;
      bytes += step;
      count -= step;
    }
  }

  // Reads the whole part. A size that is wrong fails at the first missing page, before much memory is taken.
  Bytes readAll() {
    Bytes bytes;
    for (uint64_t index = 0; index * kPageSize < streamSize_; index++) {
      const uint8_t *const page = this->page(index);
      bytes.insert(bytes.end(), page, page + size_);
    }
    return bytes;
  }

  // Returns a page of the part, which is valid until the next call.
  const uint8_t *page(uint64_t index) {
    if (index == index_) return page_;
    index_ = UINT64_MAX;
    require(index * kPageSize, 1);
    size_ = source_.read(pageNumber(part_, index), page_);
    const uint64_t left = streamSize_ - index * kPageSize;
    if (size_ != (left < kPageSize ? left : kPageSize)) throw Damaged();
    index_ = index;
    return page_;
  }
  // The size of the page that was read last.
  size_t pageSize() const { return size_; }

 private:
  PageSource &source_;
  const Part part_;
  const uint64_t streamSize_;
  uint64_t index_ = UINT64_MAX;
  size_t size_ = 0;
  uint8_t page_[kPageSize];
};

}  // namespace todana::text
