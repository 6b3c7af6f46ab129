#ifndef TODANA_CLIBARCHIVE_H
#define TODANA_CLIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#endif
