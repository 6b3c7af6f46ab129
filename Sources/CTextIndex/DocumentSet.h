// A set of documents of a window: consecutive documents of a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace todana::text {

// Stands for no document. A segment has fewer documents than this.
constexpr uint32_t kNoDocument = UINT32_MAX;

class DocumentSet {
 public:
  // A search that needs a few documents ends after a few windows, and sets of this size fit into the first cache.
  static constexpr uint32_t kWindow = 1 << 13;

  void clear() { words_.fill(0); }
  // Makes it the set of the first `count` documents.
  void fill(uint32_t count) {
    clear();
    for (uint32_t word = 0; word < count / 64; word++) words_[word] = UINT64_MAX;
    if (count % 64 != 0) words_[count / 64] = (uint64_t{1} << count % 64) - 1;
  }

  // Documents are counted from the beginning of the window.
  void add(uint32_t document) { words_[document / 64] |= uint64_t{1} << document % 64; }
  void remove(uint32_t document) { words_[document / 64] &= ~(uint64_t{1} << document % 64); }
  bool has(uint32_t document) const { return (words_[document / 64] >> document % 64 & 1) != 0; }

  void unite(const DocumentSet &other) {
    for (size_t word = 0; word < kWords; word++) words_[word] |= other.words_[word];
  }
  void intersect(const DocumentSet &other) {
    for (size_t word = 0; word < kWords; word++) words_[word] &= other.words_[word];
  }
  void subtract(const DocumentSet &other) {
    for (size_t word = 0; word < kWords; word++) words_[word] &= ~other.words_[word];
  }

  bool isEmpty() const {
    uint64_t all = 0;
    for (const uint64_t word : words_) all |= word;
    return all == 0;
  }
  bool hasAtMost(uint32_t limit) const {
    uint32_t left = limit;
    for (const uint64_t word : words_) {
      for (uint64_t bits = word; bits != 0; bits &= bits - 1) {
        if (left-- == 0) return false;
      }
    }
    return true;
  }
  uint32_t count() const {
    uint32_t count = 0;
    for (const uint64_t word : words_) count += static_cast<uint32_t>(__builtin_popcountll(word));
    return count;
  }

  // Calls back with each document, in ascending order. The callback may remove it.
  template <typename Body>
  void forEach(Body body) const {
    for (uint32_t word = 0; word < kWords; word++) {
      for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        body(word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
      }
    }
  }

 private:
  static constexpr size_t kWords = kWindow / 64;

  std::array<uint64_t, kWords> words_{};
};

// Some of the documents of a segment. The first one is a multiple of DocumentSet::kWindow.
struct Window {
  uint32_t first;
  uint32_t count;

  // The document after the last one; at most 2^32.
  uint64_t end() const { return uint64_t{first} + count; }
};

}  // namespace todana::text
