#ifndef TODANA_CZSTD_H
#define TODANA_CZSTD_H

#include <zstd.h>

#endif
