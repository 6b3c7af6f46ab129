// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace todana {

// Repeats a system call that a signal has interrupted (EINTR). Returns its result. Any thread.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace todana
