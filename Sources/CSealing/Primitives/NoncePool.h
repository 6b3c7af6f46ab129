// Random nonces, drawn many at a time: a call of the generator costs more than sealing a small record does.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "AesGcm.h"

namespace todana {

// Any thread. A process that forks goes on with nonces of its own.
class NoncePool {
 public:
  void draw(uint8_t *nonces, size_t count);

 private:
  static constexpr size_t kSize = 64;

  std::mutex mutex_;
  std::array<uint8_t, kSize * kNonceSize> nonces_;
  size_t left_ = 0;
  uint64_t process_ = 0;  // that drew them
};

}  // namespace todana
