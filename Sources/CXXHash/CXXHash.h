// XXH3 compiled into its callers, so that a checksum of a few bytes costs no call and no library is linked.
#ifndef TODANA_CXXHASH_H
#define TODANA_CXXHASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
