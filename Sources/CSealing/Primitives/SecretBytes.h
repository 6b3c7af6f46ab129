// Secret bytes in libcrypto's secure heap, which is locked in memory and left out of core dumps. They are wiped when
// they are released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace todana {

class SecretBytes {
 public:
  SecretBytes() = default;
  // Creates bytes that are zeros.
  explicit SecretBytes(size_t count);
  SecretBytes(const void *bytes, size_t count);
  ~SecretBytes() { clear(); }
  SecretBytes(SecretBytes &&other) noexcept { swap(other); }
  SecretBytes &operator=(SecretBytes &&other) noexcept {
    swap(other);
    return *this;
  }
  SecretBytes(const SecretBytes &) = delete;
  SecretBytes &operator=(const SecretBytes &) = delete;

  static SecretBytes random(size_t count);
  SecretBytes copy() const { return SecretBytes(bytes_, count_); }

  uint8_t *data() { return bytes_; }
  const uint8_t *data() const { return bytes_; }
  size_t size() const { return count_; }
  bool isEmpty() const { return count_ == 0; }

  // Compares in time that does not depend on the bytes.
  bool equals(const void *bytes, size_t count) const;

 private:
  void clear();
  void swap(SecretBytes &other) {
    std::swap(bytes_, other.bytes_);
    std::swap(count_, other.count_);
  }

  uint8_t *bytes_ = nullptr;
  size_t count_ = 0;
};

// The kind of memory that keys are kept in.
enum class SecretMemory {
  locked,    // never written to swap
  unlocked,  // guarded, but the system would not lock it
  ordinary,  // there is no secure heap: keys are wiped all the same
};
SecretMemory secretMemory();

}  // namespace todana
