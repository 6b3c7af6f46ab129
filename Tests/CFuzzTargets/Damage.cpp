#include "Damage.h"

#include "../../Sources/CStorageEngine/Disk/Checksum.h"
#include "../../Sources/CStorageEngine/Kyoto/HashFormat.h"
#include "../../Sources/CStorageEngine/Log/LogFormat.h"

namespace todana::fuzzing {

namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kRingSlot = 32768;
constexpr size_t kRingHeader = 32;
constexpr size_t kLargestFile = 2 << 20;

template <class Number> Number load(const std::string &content, size_t offset) {
  Number number = 0;
  if (offset + sizeof number <= content.size()) std::memcpy(&number, content.data() + offset, sizeof number);
  return number;
}

template <class Number> void store(std::string &content, size_t offset, Number number) {
  if (offset + sizeof number <= content.size()) std::memcpy(content.data() + offset, &number, sizeof number);
}

bool endsWith(const std::string &name, const std::string &end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// Returns the offsets of the header, the free-block pool, the used buckets and all records of an undamaged hash file.
std::vector<int64_t> placesInHashFile(const std::string &content) {
  std::vector<int64_t> places{0, 9, 16, 24, 32, 40, 48, 56, kHashHeaderSize};
  const int power = content[9];
  const int64_t bucketCount = static_cast<int64_t>(readBigEndian64(content.data() + 16));
  const int64_t bucketStart = kHashHeaderSize + kAddressSize * (1 << content[10]) + 2 * kAddressSize + 2;
  const int64_t alignment = int64_t{1} << power;
  int64_t offset = (bucketStart + kAddressSize * bucketCount + alignment - 1) & ~(alignment - 1);
  while (offset < static_cast<int64_t>(content.size())) {
    places.push_back(offset);
    const char *bytes = content.data() + offset;
    if (static_cast<uint8_t>(bytes[0]) == kFreeBlockMagic) {
      offset += static_cast<int64_t>(readAddress(bytes + 2) << power);
      continue;
    }
    const char *end = content.data() + content.size();
    uint64_t keyLength = 0, valueLength = 0;
    const char *body = readVarnum(bytes + kRecordHeaderSize, end, &keyLength);
    body = readVarnum(body, end, &valueLength);
    // The key and the value are places, too.
    places.push_back(body - content.data());
    places.push_back(places.back() + static_cast<int64_t>(keyLength));
    const bool isShort = static_cast<uint8_t>(bytes[0]) == kShortPaddingMagic;
    const uint64_t padding = isShort ? static_cast<uint8_t>(bytes[1]) : readBigEndian(bytes, 2);
    offset = (body - content.data()) + static_cast<int64_t>(keyLength + valueLength + padding);
  }
  for (int64_t bucket = 0; bucket < bucketCount; bucket++) {
    const int64_t address = bucketStart + bucket * kAddressSize;
    if (readAddress(content.data() + address) != 0) places.push_back(address);
  }
  return places;
}

std::vector<int64_t> placesInLog(const std::string &content) {
  std::vector<int64_t> places{0, kLogHeaderCopy};
  const int64_t alignment = std::max<int64_t>(load<uint32_t>(content, offsetof(LogHeader, alignment)), 8);
  int64_t offset = kFirstFrame;
  while (load<uint32_t>(content, offset) == kFrameMagic) {
    places.push_back(offset);
    const bool isLast = load<uint32_t>(content, offset + offsetof(FrameHeader, index)) & kLastFrame;
    offset += static_cast<int64_t>(kFrameHeaderSize) + load<uint32_t>(content, offset + offsetof(FrameHeader, length));
    if (isLast) offset = (offset + alignment - 1) / alignment * alignment;
  }
  return places;
}

void sealFrame(std::string &content, int64_t offset, uint64_t &previous) {
  const size_t start = static_cast<size_t>(offset);
  const size_t size = kFrameHeaderSize + load<uint32_t>(content, start + offsetof(FrameHeader, length));
  if (start + size > content.size()) return;
  const size_t field = start + offsetof(FrameHeader, checksum);
  store<uint64_t>(content, field, 0);
  const uint64_t salt = load<uint64_t>(content, start + offsetof(FrameHeader, salt));
  const uint64_t sum = checksum(content.data() + start, size, salt ^ previous);
  store(content, field, sum);
  previous = load<uint32_t>(content, start + offsetof(FrameHeader, index)) & kLastFrame ? 0 : sum;
}

void sealLogHeaders(std::string &content) {
  for (size_t copy : {size_t{0}, static_cast<size_t>(kLogHeaderCopy)}) {
    if (copy + sizeof(LogHeader) > content.size()) return;
    const size_t field = offsetof(LogHeader, checksum);
    store(content, copy + field, checksum(content.data() + copy, field, 1));
  }
}

// Returns `length` bytes at a place, or fewer if the file ends earlier.
std::string contentAt(const std::string &content, int64_t place, size_t length) {
  return content.substr(std::min(content.size(), static_cast<size_t>(place)), length);
}

std::string bigEndian(uint64_t number, int byteCount) {
  std::string bytes;
  for (int byte = byteCount - 1; byte >= 0; byte--) bytes += static_cast<char>(number >> (8 * byte));
  return bytes;
}

}  // namespace

std::vector<int64_t> placesIn(const std::string &name, const std::string &content) {
  if (endsWith(name, ".kch") || endsWith(name, ".kct")) return placesInHashFile(content);
  if (endsWith(name, ".sums")) return {0, 8, 16, kPage};
  if (name == "commits") return {0, 8, 16, kRingSlot, kRingSlot + 8, kRingSlot + 16};
  if (name == "superblock") return {0, 8, 12, 16, kPage, kPage + 8, kPage + 12, kPage + 16};
  return placesInLog(content);
}

void patch(std::string &content, const std::vector<int64_t> &places, Input &input) {
  while (!input.isAtEnd()) {
    const uint8_t kind = input.take<uint8_t>();
    const size_t placeNumber = input.take<uint16_t>() % places.size();
    const size_t offset = static_cast<size_t>(places[placeNumber]) + input.take<uint16_t>();
    const size_t length = input.take<uint8_t>();
    std::string bytes;
    switch (kind % 8) {
      case 0:
      case 1:
        bytes = input.takeBytes(length);
        break;
      case 2:  // the address of a place in a hash file, in units of its alignment
        bytes = bigEndian(static_cast<uint64_t>(places[input.take<uint16_t>() % places.size()]) >> (length % 16), 6);
        break;
      case 3:
        content.resize(std::min(offset + length, kLargestFile));
        break;
      case 4:
        bytes.assign(16 * length, static_cast<char>(input.take<uint8_t>()));
        break;
      case 5:
      case 6: {  // numbers at limits, in both byte orders
        const uint64_t number = (uint64_t{1} << (length % 64)) - (length >> 6 & 1);
        bytes = bigEndian(number, 8);
        if (kind % 8 == 6) std::reverse(bytes.begin(), bytes.end());
        break;
      }
      case 7:  // bytes from another place
        bytes = contentAt(content, places[input.take<uint16_t>() % places.size()], length);
        break;
    }
    if (offset >= content.size()) continue;
    bytes.resize(std::min(bytes.size(), content.size() - offset));
    content.replace(offset, bytes.size(), bytes);
  }
}

std::string patchOf(const std::string &content, size_t placeNumber, const std::vector<int64_t> &places, size_t length) {
  const std::string bytes = contentAt(content, places[placeNumber], length);
  std::string patch{0, static_cast<char>(placeNumber), static_cast<char>(placeNumber >> 8), 0, 0};
  return patch + static_cast<char>(bytes.size()) + bytes;
}

// MARK: Checksums

void sealSuperblock(std::string &content) {
  for (size_t copy : {size_t{0}, static_cast<size_t>(kPage)}) {
    if (copy + 40 <= content.size()) store(content, copy + 32, checksum(content.data() + copy, 32, 4));
  }
}

void sealCommitRing(std::string &content) {
  for (size_t slot : {size_t{0}, static_cast<size_t>(kRingSlot)}) {
    const size_t count = load<uint32_t>(content, slot + 16);
    if (slot + kRingHeader + 16 * count > content.size()) continue;
    const uint64_t entries = checksum(content.data() + slot + kRingHeader, 16 * count, 3);
    store(content, slot + 24, checksum(content.data() + slot, 24, 3 ^ entries));
  }
}

void sealPageSums(std::string &content) {
  if (content.size() >= 32) store(content, 24, checksum(content.data(), 24, 2));
}

void sealDataFile(Files &files, const std::string &name) {
  const std::string &content = files[name];
  std::string &sums = files[name + ".sums"];
  const uint32_t number = static_cast<uint32_t>(std::stoul(name));
  const size_t pageCount = (content.size() + kPage - 1) / kPage;
  sums.resize(kPage + 8 * pageCount);
  for (size_t index = 0; index < pageCount; index++) {
    std::string page = content.substr(index * kPage, kPage);
    page.resize(kPage);
    store(sums, kPage + 8 * index, pageChecksum(page.data(), number, static_cast<int64_t>(index)));
  }
  store<uint64_t>(sums, 16, content.size());
  sealPageSums(sums);
}

void sealLog(std::string &content, const std::vector<int64_t> &places) {
  sealLogHeaders(content);
  uint64_t previous = 0;
  for (int64_t place : places) {
    if (place >= kFirstFrame) sealFrame(content, place, previous);
  }
}

// MARK: Logs

std::string logOf(const std::string &log, Input &input) {
  std::string made = log.substr(0, kFirstFrame);
  uint64_t commit = load<uint64_t>(made, offsetof(LogHeader, firstCommit));
  uint32_t index = 0;
  uint64_t previous = 0;
  while (!input.isAtEnd()) {
    const bool isLast = input.take<uint8_t>() % 4 != 3;
    std::string operations = input.takeBytes(input.take<uint16_t>());
    operations.resize((operations.size() + 7) / 8 * 8);
    FrameHeader frame{};
    frame.magic = kFrameMagic;
    frame.index = index++ | (isLast ? kLastFrame : 0);
    frame.salt = load<uint64_t>(made, offsetof(LogHeader, salt));
    frame.commit = commit;
    frame.length = static_cast<uint32_t>(operations.size());
    const int64_t start = static_cast<int64_t>(made.size());
    made.append(reinterpret_cast<const char *>(&frame), sizeof frame);
    made += operations;
    sealFrame(made, start, previous);
    if (!isLast) continue;
    const size_t alignment = load<uint32_t>(made, offsetof(LogHeader, alignment));
    made.resize((made.size() + alignment - 1) / alignment * alignment);
    commit++;
    index = 0;
  }
  return made;
}

std::vector<std::string> framesOf(const std::string &log, const std::vector<int64_t> &places) {
  std::vector<std::string> frames;
  for (int64_t place : places) {
    if (place < kFirstFrame) continue;
    const size_t length = load<uint32_t>(log, place + offsetof(FrameHeader, length));
    frames.push_back({0, static_cast<char>(length), static_cast<char>(length >> 8)});
    frames.back() += log.substr(place + kFrameHeaderSize, length);
  }
  return frames;
}

}  // namespace todana::fuzzing
