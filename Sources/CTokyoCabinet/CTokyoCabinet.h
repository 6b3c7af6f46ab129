#ifndef TODANA_CTOKYOCABINET_H
#define TODANA_CTOKYOCABINET_H

#include <tchdb.h>

#endif
