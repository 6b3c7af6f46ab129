// A growing buffer of bytes, whose new bytes are not initialized.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

namespace todana::unicode {

class Bytes {
 public:
  const uint8_t *data() const { return bytes_.get(); }
  uint8_t *mutableData() { return bytes_.get(); }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  void resize(size_t size) { size_ = size; }  // to fewer bytes

  // Returns room for at least `count` more bytes; `grow` then adds those that were written there.
  uint8_t *reserve(size_t count) {
    if (capacity_ - size_ < count) enlarge(count);
    return bytes_.get() + size_;
  }
  void grow(size_t count) { size_ += count; }
  void append(const uint8_t *bytes, size_t count) {
    std::memcpy(reserve(count), bytes, count);
    size_ += count;
  }

 private:
  void enlarge(size_t count) {
    const size_t capacity = std::max(2 * capacity_, size_ + count + 64);
    std::unique_ptr<uint8_t[]> bytes(new uint8_t[capacity]);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<uint8_t[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace todana::unicode
