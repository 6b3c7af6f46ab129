#include "NoncePool.h"

#include <cstring>

#include <openssl/rand.h>

#include "CThreads.h"
#include "CryptoError.h"

namespace todana {

namespace {

void drawRandom(uint8_t *nonces, size_t count) {
  require(RAND_bytes(nonces, static_cast<int>(count * kNonceSize)) == 1, "RAND_bytes");
}

}  // namespace

void NoncePool::draw(uint8_t *nonces, size_t count) {
  if (count >= kSize / 4) return drawRandom(nonces, count);
  std::lock_guard<std::mutex> lock(mutex_);
  if (count > left_ || forkCount_ != tdt_fork_count()) {
    forkCount_ = tdt_fork_count();
    left_ = 0;
    drawRandom(nonces_.data(), kSize);
    left_ = kSize;
  }
  left_ -= count;
  std::memcpy(nonces, &nonces_[left_ * kNonceSize], count * kNonceSize);
}

}  // namespace todana
