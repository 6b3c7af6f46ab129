#include "CryptoError.h"

#include <openssl/err.h>

namespace todana {

void throwLibraryError(const char *call) {
  const unsigned long code = ERR_peek_last_error();
  std::string message = std::string("libcrypto failed in ") + call;
  if (const char *reason = code ? ERR_reason_error_string(code) : nullptr) message += std::string(": ") + reason;
  const bool isMemory = ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
  ERR_clear_error();
  throw SealingError(isMemory ? TDS_NO_MEMORY : TDS_LIBRARY, message);
}

}  // namespace todana
