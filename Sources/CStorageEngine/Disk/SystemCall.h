// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace todana {

// Calls until the call is not interrupted any more; its result.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace todana
