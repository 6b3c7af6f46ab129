// Stock Kyoto Cabinet instantiated a second time, on PagedFile: `kyotocabinet::PagedHashDB` and PagedTreeDB.
//
// <kchashdb.h> reaches the disk only through class File. It is included with File renamed to PagedFile. Its own classes
// are renamed, too, because the shared library defines them under their own names. The result is stock code on our
// files.
#pragma once

// Include the headers that <kchashdb.h> needs before it, so that their classes keep their names.
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

// `private` becomes `public` in this one header, so that HashWriter can call functions below the public methods. For
// each record, the public methods take a reader-writer lock and one of 1,024 record locks. The engine instead excludes
// other threads once for a whole batch. Every file of this target includes the header only in this way.
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
