#include "NoncePool.h"

#include <atomic>
#include <cstring>

#include <openssl/rand.h>
#include <pthread.h>

#include "CryptoError.h"

namespace todana {

namespace {

// The number of forks of this process and its ancestors.
std::atomic<uint64_t> forkCount{1};

void noteForks() {
  static const int isNoted = pthread_atfork(nullptr, nullptr, [] { forkCount++; });
  require(isNoted == 0, "pthread_atfork");
}

void drawRandom(uint8_t *nonces, size_t count) {
  require(RAND_bytes(nonces, static_cast<int>(count * kNonceSize)) == 1, "RAND_bytes");
}

}  // namespace

void NoncePool::draw(uint8_t *nonces, size_t count) {
  if (count >= kSize / 4) return drawRandom(nonces, count);
  std::lock_guard<std::mutex> lock(mutex_);
  if (count > left_ || process_ != forkCount) {
    noteForks();
    process_ = forkCount;
    left_ = 0;
    drawRandom(nonces_.data(), kSize);
    left_ = kSize;
  }
  left_ -= count;
  std::memcpy(nonces, &nonces_[left_ * kNonceSize], count * kNonceSize);
}

}  // namespace todana
