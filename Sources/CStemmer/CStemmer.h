// The stemmers of the Snowball project.
#ifndef TODANA_CSTEMMER_H
#define TODANA_CSTEMMER_H

#include <libstemmer.h>

#endif
