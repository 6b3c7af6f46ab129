// Sealers for many threads. Each is lent to one thread at a time, and as many are kept as were in use at the same time.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "Sealer.h"

namespace todana {

class SealerPool {
 public:
  explicit SealerPool(std::shared_ptr<const KeyRing> ring) : ring_(std::move(ring)) {}

  class Lent {
   public:
    Lent(SealerPool &pool, std::unique_ptr<Sealer> sealer) : pool_(pool), sealer_(std::move(sealer)) {}
    ~Lent() { pool_.take(std::move(sealer_)); }
    Lent(const Lent &) = delete;
    Lent &operator=(const Lent &) = delete;
    Sealer *operator->() const { return sealer_.get(); }

   private:
    SealerPool &pool_;
    std::unique_ptr<Sealer> sealer_;
  };

  Lent lend() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<Sealer> sealer = std::move(spare_.back());
        spare_.pop_back();
        return Lent(*this, std::move(sealer));
      }
      // Reserve room for the sealer's return, so that `take` never fails.
      spare_.reserve(++made_);
    }
    return Lent(*this, std::make_unique<Sealer>(ring_));
  }

 private:
  void take(std::unique_ptr<Sealer> sealer) {
    std::lock_guard<std::mutex> lock(mutex_);
    spare_.push_back(std::move(sealer));
  }

  const std::shared_ptr<const KeyRing> ring_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Sealer>> spare_;
  size_t made_ = 0;
};

}  // namespace todana
