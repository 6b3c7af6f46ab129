#ifndef TODANA_CZLIB_H
#define TODANA_CZLIB_H

#include <zlib.h>

#endif
