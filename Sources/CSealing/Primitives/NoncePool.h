// Random nonces, generated in bulk: a call of the generator takes longer than sealing a small record.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "AesGcm.h"

namespace todana {

// A pool of random nonces for one key ring. Thread-safe. After a fork, the child generates nonces of its own.
class NoncePool {
 public:
  void draw(uint8_t *nonces, size_t count);

 private:
  static constexpr size_t kSize = 64;

  std::mutex mutex_;
  std::array<uint8_t, kSize * kNonceSize> nonces_;
  size_t left_ = 0;
  uint64_t forkCount_ = 0;  // the count of forks at which the nonces were generated
};

}  // namespace todana
