#include "Manifest.h"

#include <cstddef>
#include <set>

#include "../Disk/Checksum.h"
#include "../Disk/DirectoryLock.h"
#include "../Disk/Failure.h"
#include "SeriesDirectory.h"

namespace todana {

namespace {

// The maximum size of a manifest. With 24 bytes for each 512 KiB, it suffices for a store of 20 TiB.
constexpr int64_t kMaximumByteCount = int64_t{1} << 30;
constexpr int64_t kMaximumFileByteCount = int64_t{1} << 44;
constexpr size_t kFileFieldsByteCount = 8 + 2;

[[noreturn]] void throwDamaged(const char *what, const std::string &name) {
  throw Failure(TDN_DAMAGED, std::string("the manifest of a backup is damaged: ") + what, name);
}

ManifestHeader checkedHeader(DiskFile *file, uint32_t number, const std::string &name) {
  ManifestHeader header;
  if (!file || file->read(0, &header, sizeof header) != sizeof header) throwDamaged("it is too short", name);
  const bool hasMagic = std::memcmp(header.magic, kManifestMagic, 8) == 0;
  if (!hasMagic || header.checksum != checksum(&header, offsetof(ManifestHeader, checksum), kHeaderSeed)) {
    throwDamaged("its header does not match its checksum", name);
  }
  // The version is checked after the checksum, which has the same place in every version.
  if (header.formatVersion > kSeriesVersion) {
    throw Failure(TDN_NEWER_FORMAT, "a newer version of Todana made the backup: use that version", name);
  }
  if (header.number != number) throwDamaged("it belongs to another backup", name);
  return header;
}

// Tests whether the name is safe: it becomes the name of a file in a directory of the caller.
bool isPlainName(const std::string &name) {
  return !name.empty() && name.size() <= 255 && name != "." && name != ".." && name != DirectoryLock::kName &&
         name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

template <class T>
void append(std::vector<char> &content, const T &value) {
  const char *bytes = reinterpret_cast<const char *>(&value);
  content.insert(content.end(), bytes, bytes + sizeof value);
}

}  // namespace

ManifestHeader Manifest::readHeader(Disk &disk, uint32_t number) {
  const std::string name = SeriesDirectory::manifestName(number);
  return checkedHeader(disk.open(name, Disk::Mode::read).get(), number, name);
}

Manifest Manifest::read(Disk &disk, uint32_t number) {
  const std::string name = SeriesDirectory::manifestName(number);
  std::unique_ptr<DiskFile> file = disk.open(name, Disk::Mode::read);
  Manifest manifest;
  manifest.header = checkedHeader(file.get(), number, name);
  const int64_t byteCount = file->size();
  if (byteCount > kMaximumByteCount) throw Failure(TDN_LIMIT, "the manifest of a backup is larger than 1 GiB", name);
  if (static_cast<uint64_t>(byteCount) != manifest.header.manifestByteCount ||
      byteCount < static_cast<int64_t>(sizeof(ManifestHeader) + sizeof(WideSum))) {
    throwDamaged("its length is wrong", name);
  }
  std::vector<char> content(static_cast<size_t>(byteCount));
  if (file->read(0, content.data(), content.size()) != content.size()) throwDamaged("it is truncated", name);
  const size_t end = content.size() - sizeof(WideSum);
  WideSum sum;
  std::memcpy(&sum, content.data() + end, sizeof sum);
  if (sum != WideSum::of(content.data(), end, kManifestSeed)) throwDamaged("it does not match its checksum", name);
  content.resize(end);
  manifest.parse(content, name);
  return manifest;
}

// Parses the content. Its checksum is right, but its values must be checked, too.
void Manifest::parse(const std::vector<char> &content, const std::string &name) {
  size_t offset = sizeof(ManifestHeader);
  std::set<std::string> names;
  uint64_t total = 0;
  for (uint32_t index = 0; index < header.fileCount; index++) {
    if (content.size() - offset < kFileFieldsByteCount) throwDamaged("it lists too few files", name);
    File file;
    uint16_t nameLength;
    std::memcpy(&file.byteCount, content.data() + offset, 8);
    std::memcpy(&nameLength, content.data() + offset + 8, 2);
    offset += kFileFieldsByteCount;
    if (content.size() - offset < nameLength) throwDamaged("a name is truncated", name);
    file.name.assign(content.data() + offset, nameLength);
    offset += nameLength;
    if (!isPlainName(file.name) || !names.insert(file.name).second) throwDamaged("the name of a file is invalid", name);
    if (file.byteCount < 0 || file.byteCount > kMaximumFileByteCount) throwDamaged("a file's size is invalid", name);
    const size_t count = static_cast<size_t>(groupCount(file.byteCount));
    if ((content.size() - offset) / sizeof(BlockEntry) < count) throwDamaged("pieces of a file are missing", name);
    file.firstGroup = groups.size();
    groups.resize(groups.size() + count);
    if (count > 0) std::memcpy(&groups[file.firstGroup], content.data() + offset, count * sizeof(BlockEntry));
    offset += count * sizeof(BlockEntry);
    total += static_cast<uint64_t>(file.byteCount);
    files.push_back(std::move(file));
  }
  if (offset != content.size() || total != header.byteCount) throwDamaged("its files do not match its header", name);
}

void Manifest::write(Disk &disk, uint32_t number, bool &isThere) {
  size_t byteCount = sizeof(ManifestHeader) + groups.size() * sizeof(BlockEntry) + sizeof(WideSum);
  for (const File &file : files) byteCount += kFileFieldsByteCount + file.name.size();
  std::memcpy(header.magic, kManifestMagic, 8);
  header.formatVersion = kSeriesVersion;
  header.number = number;
  header.manifestByteCount = byteCount;
  header.fileCount = static_cast<uint32_t>(files.size());
  header.checksum = checksum(&header, offsetof(ManifestHeader, checksum), kHeaderSeed);
  if (static_cast<int64_t>(byteCount) > kMaximumByteCount) {
    throw Failure(TDN_LIMIT, "the manifest of the backup would be larger than 1 GiB");
  }
  std::vector<char> content;
  content.reserve(byteCount);
  append(content, header);
  for (const File &file : files) {
    append(content, file.byteCount);
    append(content, static_cast<uint16_t>(file.name.size()));
    content.insert(content.end(), file.name.begin(), file.name.end());
    for (int64_t group = 0; group < groupCount(file.byteCount); group++) {
      append(content, groups[file.firstGroup + static_cast<size_t>(group)]);
    }
  }
  append(content, WideSum::of(content.data(), content.size(), kManifestSeed));
  const std::string name = SeriesDirectory::manifestName(number);
  // A file that a killed process left may be longer.
  disk.remove(SeriesDirectory::newName(name));
  std::unique_ptr<DiskFile> file = disk.open(SeriesDirectory::newName(name), Disk::Mode::create);
  file->write(0, content.data(), content.size());
  file->flush();
  // Make the segment's name durable, too, before the manifest's.
  disk.flushDirectory();
  disk.rename(SeriesDirectory::newName(name), name);
  isThere = true;
  disk.flushDirectory();
}

}  // namespace todana
