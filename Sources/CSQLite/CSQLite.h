#ifndef TODANA_CSQLITE_H
#define TODANA_CSQLITE_H

#include <sqlite3.h>

#endif
