// FileGroup's verification of its main files. Every page is read from the file. Pages of the mapping may have been
// checked long ago, and device errors of a mapping are signals.
#include <algorithm>
#include <cstring>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/FileNames.h"
#include "../Log/LogIndex.h"
#include "FileGroup.h"
#include "PageSums.h"

namespace todana {

FileGroup::Verified FileGroup::verifyMain(
  uint32_t number, const std::string &name, int64_t firstPage, int64_t count) {
  Verified result;
  if (state_.settings.isVolatile) return result;
  // Exclude checkpoints, which write pages and their checksums one after another.
  MutexLock noCheckpoint(checkpointer_.mutex());
  throwIfPoisoned();
  std::unique_ptr<DiskFile> main = state_.disk.open(name, Disk::Mode::read);
  if (!main) {
    if (isInLogs(number)) return result;
    throw Failure(TDN_DAMAGED, "the file is missing", name);
  }
  std::shared_ptr<PageSums> header;
  try {
    header = PageSums::open(state_.disk, name, number, state_.settings.repairsBits);
  } catch (const Failure &) {
    // A new file has no checksums before its first checkpoint. If that was interrupted, they have no header yet: the
    // file's content is in the logs, from which the next opening for writing repeats the checkpoint.
    if (!state_.disk.open(PageSums::nameFor(name), Disk::Mode::read) && isInLogs(number)) return result;
    const LogIndex::File *logged = loggedFile(number);
    if (logged && logged->baseSize == 0 && PageSums::hasNoHead(state_.disk, PageSums::nameFor(name))) return result;
    throw;
  }
  const int64_t end = header->committedSize();
  result.pageCount = pageCeiling(end) / kPageSize;
  // If neither the main file nor the file of checksums is that long, the size may be wrong. Checking so many pages
  // could take forever.
  if (main->size() < end && !header->reaches(result.pageCount)) {
    throw Failure(
      TDN_DAMAGED,
      "the file and its checksums are truncated: " + std::to_string(main->size()) + " of " + std::to_string(end) +
        " bytes are left",
      name);
  }
  const int64_t last = std::min(result.pageCount, firstPage + count);
  if (firstPage >= last) return result;
  const std::vector<bool> isInLog = pagesInLogs(number, last);
  const std::vector<uint64_t> sums = PageSums::read(state_.disk, name, firstPage, static_cast<size_t>(last - firstPage));
  constexpr int64_t kPagesAtOnce = 64;
  std::vector<char> content(kPagesAtOnce * kPageSize);
  for (int64_t page = firstPage; page < last; page += kPagesAtOnce) {
    const int64_t pages = std::min(kPagesAtOnce, last - page);
    // Bytes after the committed end count as zeros, even if a running large commit has written there.
    const size_t wanted = static_cast<size_t>(std::min(pages * kPageSize, end - page * kPageSize));
    const size_t found = main->read(page * kPageSize, content.data(), wanted);
    std::memset(content.data() + found, 0, content.size() - found);
    for (int64_t index = 0; index < pages; index++) {
      if (isInLog.size() > static_cast<size_t>(page + index) && isInLog[static_cast<size_t>(page + index)]) continue;
      const size_t entry = static_cast<size_t>(page + index - firstPage);
      if (entry >= sums.size() ||
          pageChecksum(content.data() + index * kPageSize, number, page + index) != sums[entry]) {
        result.damaged.push_back(static_cast<uint64_t>(page + index));
      }
    }
  }
  result.lookedAt = last - firstPage;
  return result;
}

std::vector<FileGroup::DamagedFile> FileGroup::verifyCompanions() {
  if (state_.settings.isVolatile || overlay_) return {};
  MutexLock noCheckpoint(checkpointer_.mutex());
  throwIfPoisoned();
  std::vector<DamagedFile> found;
  if (!CommitRing::areSlotsSound(state_.disk)) {
    found.push_back({CommitRing::kFileName, "one of the two lists of the last commits is damaged"});
  }
  const std::string ending = PageSums::nameFor("");
  for (const std::string &name : state_.disk.list()) {
    const bool isSums = fileNumberIn(name) && name.size() > ending.size() &&
                        name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    // A file that was being written when the process was killed is removed by the next opening.
    if (!isSums || PageSums::isHeadSound(state_.disk, name) || !state_.disk.open(name, Disk::Mode::read)) continue;
    found.push_back({name, "the header of the page checksums is damaged"});
  }
  return found;
}

// Returns the pages in logs that a reader does not write back. Their content in the main file is undefined until then.
std::vector<bool> FileGroup::pagesInLogs(uint32_t number, int64_t end) const {
  const LogIndex::File *logged = loggedFile(number);
  if (!logged) return {};
  std::vector<bool> result(static_cast<size_t>(end));
  auto add = [&](uint64_t page) {
    if (page < result.size()) result[page] = true;
  };
  for (const auto &page : logged->pages) add(page.page);
  for (const auto &range : logged->direct) {
    for (uint32_t index = 0; index < range.count; index++) add(uint64_t{range.firstPage} + index);
  }
  return result;
}

bool FileGroup::isInLogs(uint32_t number) {
  if (loggedFile(number)) return true;
  const std::shared_ptr<DataFile> file = state_.files.open.find(number);
  return file && file->lastGeneration() != 0;
}

}  // namespace todana
