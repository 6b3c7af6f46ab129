#include <features.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "CFileSystem.h"

void tdf_return_freed_memory(void) {
#ifdef __GLIBC__
  // A fixed threshold does not grow with freed memory, up to 32 MiB. Each thread may keep blocks below the threshold.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
