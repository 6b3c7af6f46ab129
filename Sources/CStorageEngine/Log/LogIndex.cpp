#include "LogIndex.h"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>

#include "../Disk/Checksum.h"
#include "../Disk/Failure.h"
#include "../Disk/PageSize.h"

namespace todana {

namespace {

// Returns the frame at `offset` if it is complete and follows the frame with checksum `previous`.
std::optional<FrameHeader> readFrame(
  const char *log, int64_t size, int64_t offset, uint64_t salt, uint64_t previous, std::vector<char> &scratch) {
  if (offset + static_cast<int64_t>(kFrameHeaderSize) > size) return std::nullopt;
  FrameHeader header;
  std::memcpy(&header, log + offset, sizeof header);
  if (header.magic != kFrameMagic || header.salt != salt || header.length % 8 != 0 ||
      header.length > kMaxPayload + 4096 ||
      offset + static_cast<int64_t>(kFrameHeaderSize + header.length) > size) {
    return std::nullopt;
  }
  scratch.assign(log + offset, log + offset + kFrameHeaderSize + header.length);
  std::memset(scratch.data() + offsetof(FrameHeader, checksum), 0, sizeof header.checksum);
  if (checksum(scratch.data(), scratch.size(), salt ^ previous) != header.checksum) return std::nullopt;
  return header;
}

// The offsets of a commit's frames, and the commit's end; empty if the commit does not count.
struct Commit {
  std::vector<int64_t> frames;
  int64_t end = 0;
};

Commit readCommit(
  const char *log, int64_t size, int64_t offset, const LogHeader &log_header, uint64_t number,
  std::vector<char> &scratch) {
  Commit commit;
  uint64_t previous = 0;
  while (true) {
    std::optional<FrameHeader> frame = readFrame(log, size, offset, log_header.salt, previous, scratch);
    if (!frame || frame->commit != number || (frame->index & ~kLastFrame) != commit.frames.size()) return {};
    commit.frames.push_back(offset);
    offset += static_cast<int64_t>(kFrameHeaderSize + frame->length);
    previous = frame->checksum;
    if (frame->index & kLastFrame) {
      commit.end = (offset + log_header.alignment - 1) / log_header.alignment * log_header.alignment;
      return commit;
    }
  }
}

// Tests whether a frame after the end of the commits states that a commit at or after `missing` had been flushed. In
// that case the log was damaged later: a power failure does not leave such a frame.
bool wasFlushed(
  const char *log, int64_t size, int64_t offset, const LogHeader &header, uint64_t missing,
  std::vector<char> &scratch) {
  for (; offset + static_cast<int64_t>(kFrameHeaderSize) <= size; offset += header.alignment) {
    if (load32(log + offset) != kFrameMagic) continue;
    std::optional<FrameHeader> frame = readFrame(log, size, offset, header.salt, 0, scratch);
    if (frame && frame->index <= kLastFrame && frame->flushed >= missing) return true;
  }
  return false;
}

}  // namespace

bool LogIndex::File::isDirect(uint32_t page) const {
  return std::any_of(direct.begin(), direct.end(), [page](const DirectRange &range) {
    return page >= range.firstPage && page - range.firstPage < range.count;
  });
}

LogIndex::~LogIndex() {
  for (const Mapping &mapping : mappings_) ::munmap(const_cast<char *>(mapping.base), mapping.size);
}

void LogIndex::release() const {
  // A shared read-only mapping loses nothing.
  for (const Mapping &mapping : mappings_) ::madvise(const_cast<char *>(mapping.base), mapping.size, MADV_DONTNEED);
}

bool LogIndex::isValid(const LogHeader &header) {
  return std::memcmp(header.magic, kLogMagic, sizeof header.magic) == 0 &&
         header.checksum == checksum(&header, offsetof(LogHeader, checksum), 1) && header.generation > 0 &&
         header.generation < UINT32_MAX && header.firstCommit > 0 && header.firstCommit <= INT64_MAX &&
         header.alignment >= 8 && header.alignment <= 65536;
}

std::optional<LogHeader> LogIndex::readHeader(Disk &disk, const char *name) {
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  if (!file) return std::nullopt;
  char bytes[kFirstFrame] = {};
  file->read(0, bytes, sizeof bytes);
  std::optional<LogHeader> newest;
  bool isEmpty = false;
  for (int64_t offset : {int64_t{0}, kLogHeaderCopy}) {
    LogHeader header;
    std::memcpy(&header, bytes + offset, sizeof header);
    // A new log gets its first copy first. If the second one is blank, the log was being created.
    isEmpty |= isZero(bytes + offset, sizeof header);
    if (isValid(header) && (!newest || header.generation > newest->generation)) newest = header;
  }
  if (!newest && !isEmpty) throw Failure(TDN_DAMAGED, "the header of the log is damaged", name);
  return newest;
}

void LogIndex::add(Disk &disk, const char *name, const LogHeader &header, int64_t end) {
  if (firstCommit == 0) {
    firstCommit = header.firstCommit;
    lastCommit = header.firstCommit - 1;
  } else if (header.firstCommit != lastCommit + 1 && !isSalvaging_) {
    throw Failure(TDN_DAMAGED, "the log does not begin where the previous one ends", name);
  }
  logs.push_back({header, kFirstFrame});
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  if (!file) throw Failure(TDN_DAMAGED, "the log is missing", name);
  const int64_t size = std::min(file->size(), end);
  if (size <= kFirstFrame) return;
  void *mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor(), 0);
  if (mapped == MAP_FAILED) throw Failure::fromErrno(errno, "cannot map the log", name);
  const char *log = static_cast<const char *>(mapped);
  mappings_.push_back({log, size});
  ::madvise(mapped, size, MADV_SEQUENTIAL);

  std::vector<char> scratch;
  int64_t offset = kFirstFrame;
  int64_t released = 0;
  for (uint64_t number = header.firstCommit;; number++) {
    Commit commit = readCommit(log, size, offset, header, number, scratch);
    if (commit.frames.empty()) {
      if (wasFlushed(log, size, offset, header, number, scratch)) {
        throw Failure(TDN_DAMAGED, "the log is damaged: a commit that was on disk cannot be read any more", name);
      }
      break;
    }
    current_ = nullptr;
    for (int64_t frame : commit.frames) {
      addOperations(log + frame + kFrameHeaderSize, load32(log + frame + offsetof(FrameHeader, length)), name);
    }
    if (batchIDs.size() != number - firstCommit + 1 && !isSalvaging_) {
      throw Failure(TDN_DAMAGED, "a commit in the log does not have exactly one id", name);
    }
    lastCommit = number;
    offset = commit.end;
    if (offset - released >= kWindow) {
      release();
      released = offset;
    }
  }
  release();
  logs.back().end = offset;
  byteCount += offset - kFirstFrame;
}

void LogIndex::addOperations(const char *payload, size_t length, const char *logName) {
  const char *end = payload + length;
  auto need = [&](size_t count) {
    if (static_cast<size_t>(end - payload) < count) throw Failure(TDN_DAMAGED, "an operation is truncated", logName);
  };
  while (payload < end) {
    const uint8_t kind = static_cast<uint8_t>(*payload++);
    switch (kind) {
      case kOpEnd:
        return;
      case kOpBatch: {
        need(16);
        std::array<uint8_t, 16> id;
        std::memcpy(id.data(), payload, 16);
        batchIDs.push_back(id);
        payload += 16;
        break;
      }
      case kOpFile: {
        need(22);
        const uint32_t number = load32(payload);
        const uint8_t flags = static_cast<uint8_t>(payload[4]);
        const size_t nameLength = static_cast<uint8_t>(payload[5]);
        const int64_t baseSize = static_cast<int64_t>(load64(payload + 6));
        const int64_t size = static_cast<int64_t>(load64(payload + 14));
        payload += 22;
        need(nameLength);
        addFile(number, flags, {payload, nameLength}, baseSize, size, logName);
        payload += nameLength;
        break;
      }
      case kOpPage: {
        need(20);
        Page page{
          load32(payload), static_cast<uint32_t>(logs.back().header.generation), load64(payload + 4),
          load64(payload + 12), payload + 20, order_++};
        const size_t bytes = kBlockSize * static_cast<size_t>(__builtin_popcountll(page.mask));
        payload += 20;
        need(bytes);
        if (!current_) throw Failure(TDN_DAMAGED, "a page in the log comes before its file", logName);
        if (page.page >= pageCeiling(current_->size) / kPageSize) {
          throw Failure(TDN_DAMAGED, "a page in the log is beyond the end of its file", logName);
        }
        current_->pages.push_back(page);
        payload += bytes;
        break;
      }
      case kOpDirect: {
        need(8);
        DirectRange range{load32(payload), load32(payload + 4), payload + 8};
        payload += 8;
        need(8 * static_cast<size_t>(range.count));
        if (!current_) throw Failure(TDN_DAMAGED, "a range of pages in the log comes before its file", logName);
        if (int64_t{range.firstPage} + range.count > pageCeiling(current_->size) / kPageSize) {
          throw Failure(TDN_DAMAGED, "a range of pages in the log is beyond the end of its file", logName);
        }
        current_->direct.push_back(range);
        payload += 8 * static_cast<size_t>(range.count);
        break;
      }
      default:
        throw Failure(TDN_NEWER_FORMAT, "the log contains an operation that this version does not know", logName);
    }
  }
}

// Adds a file that a commit changes. Checks the name, with which the file is opened, and the size, which determines how
// much memory is allocated for its pages.
void LogIndex::addFile(
  uint32_t number, uint8_t flags, std::string_view name, int64_t baseSize, int64_t size, const char *logName) {
  auto [entry, isFirst] = files.try_emplace(number);
  File &file = entry->second;
  const bool isName = !name.empty() && name.find_first_of(std::string_view("/\0", 2)) == name.npos && name[0] != '.';
  const int64_t knownSize = std::max(baseSize, file.size);
  const bool isCut = (flags & kFileIsCut) != 0;
  const bool isSize = isCut ? size >= 0 && size < knownSize && size % kPageSize == 0 : size >= knownSize;
  if (!isName || baseSize < 0 || !isSize || knownSize > kLargestFile || size > kLargestFile) {
    throw Failure(TDN_DAMAGED, "the description of a file is damaged", logName);
  }
  if (isFirst) {
    file.number = number;
    file.name = name;
    file.baseSize = baseSize;
  }
  file.size = size;
  file.generation = static_cast<uint32_t>(logs.back().header.generation);
  if (isCut) file.cut(size);
  file.isNew |= (flags & kFileIsNew) != 0;
  file.isDropped |= (flags & kFileIsDropped) != 0;
  current_ = &file;
}

void LogIndex::File::cut(int64_t newSize) {
  const int64_t end = newSize / kPageSize;
  pages.erase(
    std::remove_if(pages.begin(), pages.end(), [=](const Page &page) { return page.page >= end; }), pages.end());
  for (DirectRange &range : direct) {
    range.count = static_cast<uint32_t>(std::clamp<int64_t>(end - range.firstPage, 0, range.count));
  }
  direct.erase(
    std::remove_if(direct.begin(), direct.end(), [](const DirectRange &range) { return range.count == 0; }),
    direct.end());
  baseSize = std::min(baseSize, newSize);
  cutSize = std::min(cutSize, newSize);
}

bool LogIndex::File::hasAllNewPages() const {
  const int64_t firstNewPage = pageCeiling(baseSize) / kPageSize;
  int64_t missing = pageCeiling(size) / kPageSize - firstNewPage;
  forEachPage(pages, [&](size_t first, size_t) {
    const uint32_t page = pages[first].page;
    if (page >= firstNewPage && !isDirect(page)) missing--;
  });
  for (const DirectRange &range : direct) missing -= range.count;
  return missing <= 0;
}

void LogIndex::sort() {
  for (auto &[number, file] : files) {
    std::sort(file.pages.begin(), file.pages.end(), [](const Page &left, const Page &right) {
      return left.page != right.page ? left.page < right.page : left.order < right.order;
    });
  }
  for (const auto &[number, file] : files) {
    if (!file.isDropped && !file.hasAllNewPages()) {
      throw Failure(TDN_DAMAGED, "the log is damaged: it lacks pages of a file", file.name);
    }
  }
}

}  // namespace todana
