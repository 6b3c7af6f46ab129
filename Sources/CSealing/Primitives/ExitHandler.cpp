#include <openssl/crypto.h>

// At exit, libcrypto frees its tables, unless the first call asks it not to (OPENSSL_init_crypto(3)). Threads that
// still run would then use freed memory: for example one that rebuilds a file of a store that was not closed. A thread
// that ends at that time would free its part a second time. The system reclaims the memory in any case.
namespace {

[[maybe_unused]] const int kKeepsTables = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

}  // namespace
