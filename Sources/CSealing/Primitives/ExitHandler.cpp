#include <openssl/crypto.h>

// At exit, libcrypto frees its tables unless the first call asks it not to (OPENSSL_init_crypto(3)). Threads that still
// run at that time, such as one that rebuilds a file of a store that was not closed, would then use freed memory, and a
// thread that ends at that time would free its part a second time. The system takes the memory back in any case.
namespace {

[[maybe_unused]] const int kKeepsTables = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

}  // namespace
