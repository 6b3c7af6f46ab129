// The pages of a segment: streams of bytes, each cut into pages of 8 KiB.
#pragma once

#include <algorithm>
#include <cstring>

#include "PageCache.h"

namespace todana::text {

enum class Part : uint8_t { dictionary = 0, postings = 1, positions = 2, rows = 3, lengths = 4, fences = 5 };
constexpr size_t kPartCount = 6;

// The receiver of pages, whose numbers are 1, 2 and so on.
class PageSink {
 public:
  virtual ~PageSink() = default;
  // Throws CallerFailed.
  virtual void write(uint64_t number, const uint8_t *bytes, size_t count) = 0;
};

// Gives the pages of all parts numbers, in the order in which they are full, and writes them.
//
// Pages with the directory come last: for each run of pages of one part, a varint of eight times its length, plus the
// number of the part.
class PageWriter {
 public:
  explicit PageWriter(PageSink &sink) : sink_(sink) {}

  void write(Part part, const uint8_t *bytes, size_t count) {
    sink_.write(++pageCount_, bytes, count);
    if (runLength_ > 0 && part != runPart_) endRun();
    runPart_ = part;
    runLength_++;
  }

  // Writes the directory, and returns its size.
  uint64_t finish() {
    if (runLength_ > 0) endRun();
    uint64_t number = pageCount_;
    for (size_t start = 0; start < directory_.size(); start += kPageSize) {
      const size_t left = directory_.size() - start;
      sink_.write(++number, directory_.data() + start, left < kPageSize ? left : kPageSize);
    }
    return directory_.size();
  }

  // The number of pages without the directory.
  uint64_t pageCount() const { return pageCount_; }

 private:
  void endRun() {
    appendVarint(directory_, runLength_ << 3 | static_cast<uint64_t>(runPart_));
    runLength_ = 0;
  }

  PageSink &sink_;
  uint64_t pageCount_ = 0;
  Part runPart_ = Part::dictionary;
  uint64_t runLength_ = 0;
  Bytes directory_;
};

// The numbers of the pages of each part.
class PageMap {
 public:
  // Reads the directory, whose pages follow `pageCount` others. Throws Damaged, CallerFailed.
  void read(SegmentPages &source, uint64_t pageCount, uint64_t directorySize) {
    Bytes directory;
    while (directory.size() < directorySize) {
      const uint64_t left = directorySize - directory.size();
      const Page &page = *source.page(pageCount + directory.size() / kPageSize + 1);
      if (page.size != (left < kPageSize ? left : kPageSize)) throw Damaged();
      directory.insert(directory.end(), page.bytes, page.bytes + page.size);
    }
    Input input(directory.data(), directory.size());
    uint64_t number = 0;
    while (!input.isAtEnd()) {
      const uint64_t run = input.varint();
      const uint64_t part = run & 7, length = run >> 3;
      if (part >= kPartCount || length > pageCount - number) throw Damaged();
      parts_[part].runs.push_back({parts_[part].pageCount, number + 1});
      parts_[part].pageCount += length;
      number += length;
    }
    if (number != pageCount) throw Damaged();
  }

  // Returns the number of a page of a part.
  uint64_t number(Part part, uint64_t index) const {
    const PartPages &pages = parts_[static_cast<size_t>(part)];
    if (index >= pages.pageCount) throw Damaged();
    const auto after = std::upper_bound(
      pages.runs.begin(), pages.runs.end(), index, [](uint64_t value, const Run &run) { return value < run.index; });
    const Run &run = *(after - 1);
    return run.number + (index - run.index);
  }

  size_t memory() const {
    size_t memory = 0;
    for (const PartPages &pages : parts_) memory += pages.runs.capacity() * sizeof(Run);
    return memory;
  }

 private:
  // Consecutive pages of a part, the first of which has this number.
  struct Run {
    uint64_t index;
    uint64_t number;
  };
  struct PartPages {
    uint64_t pageCount = 0;
    std::vector<Run> runs;
  };

  PartPages parts_[kPartCount];
};

// Writes the bytes of a part.
class StreamWriter {
 public:
  StreamWriter(PageWriter &pages, Part part) : pages_(pages), part_(part) {}

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
    pages_.write(part_, page_, used_);
    used_ = 0;
  }

  PageWriter &pages_;
  const Part part_;
  uint64_t address_ = 0;
  size_t used_ = 0;
  uint8_t page_[kPageSize];
};

// Reads the bytes of a part.
class StreamReader {
 public:
  // `size` is the number of bytes of the part.
  StreamReader(SegmentPages &source, const PageMap &map, Part part, uint64_t size)
      : source_(source), map_(map), part_(part), streamSize_(size) {}

  uint64_t streamSize() const { return streamSize_; }

  // Throws Damaged if a range lies outside of the part.
  void require(uint64_t address, uint64_t count) const {
    if (address > streamSize_ || count > streamSize_ - address) throw Damaged();
  }

  // Returns bytes of the part, which are in `buffer` if they are in several pages. They are valid until the next call
  // for any part of the segment.
  const uint8_t *read(uint64_t address, size_t count, Bytes &buffer) {
    require(address, count);
    const size_t offset = address % kPageSize;
    if (count > 0 && count <= kPageSize - offset) return page(address / kPageSize)->bytes + offset;
    // A size that is wrong fails at the first missing page, before much memory is taken.
    buffer.clear();
    while (buffer.size() < count) {
      const uint64_t next = address + buffer.size();
      const Page &page = *this->page(next / kPageSize);
      const size_t start = next % kPageSize;
      const size_t step = std::min(count - buffer.size(), page.size - start);
      buffer.insert(buffer.end(), page.bytes + start, page.bytes + start + step);
    }
    return buffer.data();
  }

  // Reads the whole part. A size that is wrong fails at the first missing page, before much memory is taken.
  Bytes readAll() {
    Bytes bytes;
    for (uint64_t index = 0; index * kPageSize < streamSize_; index++) {
      const Page &page = *this->page(index);
      bytes.insert(bytes.end(), page.bytes, page.bytes + page.size);
    }
    return bytes;
  }

  // Returns a page of the part. The reference is valid until the next call for any part of the segment.
  const SharedPage &page(uint64_t index) {
    require(index * kPageSize, 1);
    const SharedPage &page = source_.page(map_.number(part_, index));
    const uint64_t left = streamSize_ - index * kPageSize;
    if (page->size != (left < kPageSize ? left : kPageSize)) throw Damaged();
    return page;
  }

 private:
  SegmentPages &source_;
  const PageMap &map_;
  const Part part_;
  const uint64_t streamSize_;
};

}  // namespace todana::text
