// The writing back of logged pages to the main files. Checkpointer calls it under its mutex; FileGroup calls it for
// recovery, before another thread has the group.
#pragma once

#include <cstdint>

#include "../Disk/Disk.h"
#include "../Log/LogIndex.h"

namespace todana {

// Writes every page of the sorted index to its main file, and its checksum beside it, and flushes all that.
//
// Doing it again changes nothing, so a crash in the middle is repaired by doing it again. A main file is shortened only
// where a commit of the index has cut it. Reads no mapping that commits may be changing.
//
// `isRecovery`: nothing else uses the files, so garbage that an unfinished large commit left behind their ends is cut
// off. `tornSectorSize`, if not 0 (strict setting): sectors that were being written may hold garbage. Returns the bytes
// written.
int64_t writeBackToMainFiles(Disk &disk, const LogIndex &index, bool isRecovery, int64_t tornSectorSize);

// Cuts off what an unfinished large commit left after a main file's end. Cutting within a page changes that page, which
// must not be where a torn sector may hold garbage: then the rest of the page, zeros, is kept.
void cutOff(DiskFile &main, int64_t size, bool keepsLastPage);

}  // namespace todana
