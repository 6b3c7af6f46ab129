// Stock Kyoto Cabinet instantiated a second time, on PagedFile: `kyotocabinet::PagedHashDB` and PagedTreeDB.
//
// <kchashdb.h> is complete in itself and reaches the disk only through class File, so renaming File (and its own
// classes, which the shared library defines too) while it is read gives the same code over our files.
#pragma once

// Everything that <kchashdb.h> includes comes first, untouched.
#include <kccommon.h>
#include <kcutil.h>
#include <kcthread.h>
#include <kcfile.h>
#include <kccompress.h>
#include <kccompare.h>
#include <kcmap.h>
#include <kcregex.h>
#include <kcdb.h>
#include <kcplantdb.h>

#include "PagedFile.h"

#ifdef _KCHASHDB_H
#error "PagedKyoto.h must come before <kchashdb.h>"
#endif

namespace kyotocabinet {
using todana::PagedFile;
}

// `private` becomes `public` in this one header, so that HashWriter can call what lies below the public methods: those
// take a reader-writer lock and one of 1,024 record locks for each record, but a cabinet excludes everyone else once
// for a whole batch. Every file of this target includes the header this way only.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define private public
#define File PagedFile
#define HashDB PagedHashDB
#define TreeDB PagedTreeDB
#include <kchashdb.h>
#undef private
#undef File
#undef HashDB
#undef TreeDB
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
