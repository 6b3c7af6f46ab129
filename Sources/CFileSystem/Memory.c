#include <features.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "CFileSystem.h"

void tdf_return_freed_memory(void) {
#ifdef __GLIBC__
  // Set, it does not rise with what is freed, up to 32 MiB, of which each thread may keep some.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
