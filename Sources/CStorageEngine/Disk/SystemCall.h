// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace todana {

// Repeats a system call as long as a signal interrupts it (EINTR). Returns its result. Any thread.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace todana
