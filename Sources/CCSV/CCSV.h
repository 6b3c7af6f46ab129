// The parser and writer of CSV of the libcsv project.
#ifndef TODANA_CCSV_H
#define TODANA_CCSV_H

#include <csv.h>

#endif
