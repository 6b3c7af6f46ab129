// A lock on a directory. One holder may write in it, or several may read. The system releases it when the holder dies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ForkGuard.h"

namespace todana {

// A held lock, released by the destructor. A second opening in the same process is refused, too (`flock`).
//
// StoreDirectory, SalvageSource, SeriesDirectory and PartialDirectory hold one as long as they use their directory. Any
// thread; only the process that took the lock releases it.
class DirectoryLock {
 public:
  static constexpr const char *kName = "lock";

  enum class Kind { shared, exclusive };

  // Takes the lock. Waits up to `waitMilliseconds` for other holders. Returns null if there is no lock file and
  // `creates` is false. Throws Failure(TDN_IN_USE), which names another holder. `locked`: the name of the locked object
  // in its message.
  static std::unique_ptr<DirectoryLock> acquire(
    const std::string &directory, Kind kind, bool creates, int64_t waitMilliseconds, const std::string &program,
    const std::string &name = kName, const std::string &locked = "the store");
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock &) = delete;
  DirectoryLock &operator=(const DirectoryLock &) = delete;

  // Tests whether the locked file is the open one: the path may have been renamed since the lock was taken.
  bool isOf(int descriptor) const;

 private:
  explicit DirectoryLock(int descriptor);

  const int descriptor_;
  const ForkGuard guard_;
};

}  // namespace todana
