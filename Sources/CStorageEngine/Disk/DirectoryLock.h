// One process may hold a directory for writing, or several for reading. The system lets go when a holder dies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace todana {

class DirectoryLock {
 public:
  static constexpr const char *kName = "lock";

  enum class Kind { shared, exclusive };

  // Waits up to `waitMilliseconds` for other holders. Throws Failure(TDN_IN_USE), naming one of them.
  // Null if there is no lock file and `creates` is false. `locked` says in that message what the lock stands for.
  static std::unique_ptr<DirectoryLock> acquire(
    const std::string &directory, Kind kind, bool creates, int64_t waitMilliseconds, const std::string &program,
    const std::string &name = kName, const std::string &locked = "the store");
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock &) = delete;
  DirectoryLock &operator=(const DirectoryLock &) = delete;

  // Whether the file that is locked is this one: what a path leads to may have been renamed meanwhile.
  bool isOf(int descriptor) const;

 private:
  explicit DirectoryLock(int descriptor);

  const int descriptor_;
  const int process_;  // that took the lock
};

}  // namespace todana
