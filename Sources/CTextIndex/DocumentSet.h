// A set of documents of a window: 65,536 consecutive documents of a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace todana::text {

class DocumentSet {
 public:
  static constexpr uint32_t kWindow = 1 << 16;

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
  uint32_t count() const {
    uint32_t count = 0;
    for (const uint64_t word : words_) count += static_cast<uint32_t>(__builtin_popcountll(word));
    return count;
  }

  // Calls back with each document, in ascending order.
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

}  // namespace todana::text
