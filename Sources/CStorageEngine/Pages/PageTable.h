// A table with an entry for each page of a file. Entries are zero at first, and take memory only after they are
// written.
//
// A file of a terabyte has 268 million pages, and only a few of them need an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace todana {

// A growing array of plain entries. DataFile and ReadParts have one for each property of a page.
//
// It has no lock: DataFile grows it while other threads are excluded. Callers use atomic operations for entries that
// several threads change.
template <typename Entry>
class PageTable {
 public:
  Entry &operator[](int64_t page) { return entries_.get()[page]; }
  const Entry &operator[](int64_t page) const { return entries_.get()[page]; }
  int64_t count() const { return count_; }

  // Makes room for `count` entries, and keeps the existing ones. Throws std::bad_alloc.
  void grow(int64_t count) {
    if (count <= count_) return;
    // The system provides large allocations as zero pages, which take no memory before they are written.
    std::unique_ptr<Entry, Freeing> entries(
      static_cast<Entry *>(std::calloc(static_cast<size_t>(count), sizeof(Entry))));
    if (!entries) throw std::bad_alloc();
    for (int64_t first = 0; first < count_; first += kBlock) {
      const size_t byteCount = static_cast<size_t>(std::min(kBlock, count_ - first)) * sizeof(Entry);
      const Entry *from = entries_.get() + first;
      if (!isZero(from, byteCount)) std::memcpy(entries.get() + first, from, byteCount);
    }
    entries_ = std::move(entries);
    count_ = count;
  }

 private:
  struct Freeing {
    void operator()(Entry *entries) const { std::free(entries); }
  };

  static constexpr int64_t kBlock = 4096 / sizeof(Entry);

  static bool isZero(const Entry *entries, size_t byteCount) {
    const char *bytes = reinterpret_cast<const char *>(entries);
    return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, byteCount - 1) == 0;
  }

  std::unique_ptr<Entry, Freeing> entries_;
  int64_t count_ = 0;
};

}  // namespace todana
