// The options of all expressions.
#pragma once

#include <re2/re2.h>

#include "include/CRegularExpressions.h"

// The memory of a compiled expression and of the states that matching adds to it.
constexpr int64_t kMostMemory = 8 << 20;

inline re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(false);
  options.set_max_mem(kMostMemory);
  return options;
}

inline re2::StringPiece piece(const uint8_t *bytes, size_t count) {
  return re2::StringPiece(reinterpret_cast<const char *>(bytes), count);
}
