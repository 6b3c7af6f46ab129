// The writing back of logged pages to the main files. Checkpointer calls it under its mutex; FileGroup calls it for
// recovery, before other threads have the group.
#pragma once

#include <cstdint>

#include "../Disk/Disk.h"
#include "../Log/LogIndex.h"

namespace todana {

// Writes every page of the sorted index to its main file, and its checksum to the file of checksums, and flushes all
// files. Reads no mapping that commits may be changing. Returns the bytes written.
//
// The function is idempotent, so a crash in the middle is repaired by a second call. It shortens a main file only if a
// commit of the index has cut it.
//
// `isRecovery`: no other code uses the files, so garbage that an unfinished large commit left after their ends is cut
// off. `tornSectorSize`: if not 0 (strict setting), sectors that were being written may contain garbage.
int64_t writeBackToMainFiles(Disk &disk, const LogIndex &index, bool isRecovery, int64_t tornSectorSize);

// Cuts off the bytes that an unfinished large commit left after a main file's end. `keepsLastPage`: keeps the rest of
// the last page, which is zeros. Cutting within a page changes it, which is unsafe if a torn sector may contain
// garbage.
void cutOff(DiskFile &main, int64_t size, bool keepsLastPage);

}  // namespace todana
