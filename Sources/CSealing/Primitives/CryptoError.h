// The exception of the sealing functions, and the check of libcrypto calls.
#pragma once

#include <stdexcept>
#include <string>

#include "../include/CSealing.h"

namespace todana {

class SealingError : public std::runtime_error {
 public:
  SealingError(tds_code code, const std::string &message) : std::runtime_error(message), code_(code) {}
  tds_code code() const { return code_; }

 private:
  const tds_code code_;
};

// Throws SealingError with libcrypto's message, which contains no secrets.
[[noreturn]] void throwLibraryError(const char *call);

inline void require(bool isDone, const char *call) {
  if (!isDone) throwLibraryError(call);
}

}  // namespace todana
