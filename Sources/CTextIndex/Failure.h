// The exceptions of this target, none of which crosses the C interface.
#pragma once

#include <exception>

namespace todana::text {

// Bytes that are no part of a segment.
struct Damaged : std::exception {
  const char *what() const noexcept override { return "a page of a text index is damaged"; }
};

// A callback of the caller has failed; only the caller knows the reason.
struct CallerFailed : std::exception {
  const char *what() const noexcept override { return "a page of a text index could not be read or written"; }
};

}  // namespace todana::text
