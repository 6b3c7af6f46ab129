#include <features.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "CFileSystem.h"

void tdf_return_freed_memory(void) {
#ifdef __GLIBC__
  // The default threshold grows, up to 32 MiB, when large blocks are freed; a fixed one does not. Each thread may keep
  // freed blocks below the threshold.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
