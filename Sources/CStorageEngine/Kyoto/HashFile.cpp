#include "HashFile.h"

#include <kcutil.h>

#include <algorithm>
#include <limits>

#include "HashRecovery.h"
#include "RowPack.h"

namespace todana {

namespace {

constexpr char kMagic[4] = {'K', 'C', '\n', '\0'};

// Offsets within the header.
constexpr int kLibraryVersion = 4;
constexpr int kLibraryRevision = 5;
constexpr int kFormatVersion = 6;
constexpr int kModuleChecksum = 7;
constexpr int kAlignmentPower = 9;
constexpr int kFreeBlockPower = 10;
constexpr int kOptions = 11;
constexpr int kFlags = 24;
constexpr int kSize = 40;
constexpr int kOurVersion = 60;

// Returns a checksum of the hash function. It differs in a file that was written with another hash function.
uint8_t moduleChecksum() {
  constexpr char kSeed[] = "__kyotocabinet__";
  uint32_t pivot = hashKey(kSeed, sizeof(kSeed) - 1).pivot;
  return static_cast<uint8_t>(pivot >> 24 ^ pivot >> 16 ^ pivot >> 8 ^ pivot);
}

bool isPrime(int64_t number) {
  if (number % 2 == 0) return number == 2;
  for (int64_t factor = 3; factor * factor <= number; factor += 2) {
    if (number % factor == 0) return false;
  }
  return number > 1;
}

}  // namespace

HashFile::HashFile(
  std::shared_ptr<DataFile> file, uint32_t keyspace, uint8_t type, std::shared_ptr<SealerPool> sealers,
  std::shared_ptr<const RecordCheck> check)
    : file_(std::move(file)), keyspace_(keyspace), sealers_(std::move(sealers)), check_(std::move(check)) {
  if (end() < kHashHeaderSize) damaged("it is too short for a header", 0);
  const char *head = header();
  auto byte = [&](int offset) { return static_cast<uint8_t>(head[offset]); };
  if (std::memcmp(head, kMagic, sizeof(kMagic)) != 0) damaged("it is not a Kyoto Cabinet file", 0);
  if (byte(kModuleChecksum) != moduleChecksum()) damaged("it was written with another hash function", 0);
  if (byte(kHeaderType) != type) damaged("it is a Kyoto Cabinet file of another type", 0);
  if (byte(kOptions) != 0 || byte(kAlignmentPower) > 15 || byte(kFreeBlockPower) > 20) {
    damaged("its header has unexpected settings", 0);
  }
  if (byte(kFlags) != 0) damaged("another program left it open or in a fatal state", 0);

  alignmentPower_ = byte(kAlignmentPower);
  uint64_t bucketCount = readBigEndian64(head + kHeaderBucketCount);
  if (bucketCount < 1 || bucketCount > kMaximumBucketCount) damaged("its bucket count is invalid", 0);
  bucketCount_ = static_cast<int64_t>(bucketCount);
  bucketStart_ = bucketStartFor(byte(kFreeBlockPower));
  recordStart_ = recordStartFor(bucketStart_, bucketCount_, alignmentPower_);
  if (readBigEndian64(head + kSize) != static_cast<uint64_t>(end()) || end() < recordStart_) {
    damaged("its size is not what its header says", 0);
  }
  if (count() > static_cast<uint64_t>(end() - recordStart_) / kRecordHeaderSize) {
    damaged("its record count is invalid", 0);
  }
  if (packedRows().surplus > count() * (kPackCapacity - 1)) damaged("its row count is invalid", 0);
  uint32_t owner, version;
  std::memcpy(&owner, head + kHeaderKeyspace, 4);
  std::memcpy(&version, head + kOurVersion, 4);
  if (owner != keyspace_) damaged("it belongs to another keyspace", 0);
  if (version != kFileFormatVersion) damaged("its format version is unknown", 0);
}

HashFile::~HashFile() = default;

HashRecovery &HashFile::recovery() const {
  MutexLock lock(recoveryMutex_);
  if (!recovery_) recovery_ = std::make_unique<HashRecovery>(*this);
  return *recovery_;
}

// Returns the header as it was written, if the page's only wrong bit is known.
const char *HashFile::recoveredHeader() const {
  if (const char *copy = file_->repairedCopy(0)) return copy;
  file_->verify(0, kHashHeaderSize);
  return file_->at(0);
}

std::shared_ptr<const HashFile> HashFile::create(
  std::shared_ptr<DataFile> file, uint32_t keyspace, const Shape &shape) {
  int64_t recordStart =
    recordStartFor(bucketStartFor(shape.freeBlockPower), shape.bucketCount, shape.alignmentPower);
  char head[kHashHeaderSize] = {};
  std::memcpy(head, kMagic, sizeof(kMagic));
  head[kLibraryVersion] = static_cast<char>(kyotocabinet::LIBVER);
  head[kLibraryRevision] = static_cast<char>(kyotocabinet::LIBREV);
  head[kFormatVersion] = static_cast<char>(kyotocabinet::FMTVER);
  head[kModuleChecksum] = static_cast<char>(moduleChecksum());
  head[kHeaderType] = static_cast<char>(shape.type);
  head[kAlignmentPower] = static_cast<char>(shape.alignmentPower);
  head[kFreeBlockPower] = static_cast<char>(shape.freeBlockPower);
  writeBigEndian64(head + kHeaderBucketCount, static_cast<uint64_t>(shape.bucketCount));
  writeBigEndian64(head + kSize, static_cast<uint64_t>(recordStart));
  std::memcpy(head + kHeaderKeyspace, &keyspace, 4);
  std::memcpy(head + kOurVersion, &kFileFormatVersion, 4);
  file->grow(recordStart);
  file->write(0, head, sizeof(head));
  return std::make_shared<const HashFile>(std::move(file), keyspace, shape.type, shape.sealers);
}

int64_t HashFile::bucketCountFor(uint64_t recordCount) {
  recordCount = std::min<uint64_t>(recordCount, kMaximumBucketCount);
  return bucketCountAtLeast(recordCount + recordCount / 2);
}

int64_t HashFile::bucketCountAtLeast(uint64_t count) {
  int64_t number = static_cast<int64_t>(std::min<uint64_t>(count, kMaximumBucketCount / 2));
  number = std::max(number, Shape().bucketCount) | 1;
  while (!isPrime(number)) number += 2;
  return number;
}

int64_t HashFile::recordSize(uint64_t keyLength, uint64_t valueLength) const {
  const auto varnumSize = [](uint64_t number) { return number == 0 ? 1 : (64 - __builtin_clzll(number) + 6) / 7; };
  const int64_t alignment = int64_t{1} << alignmentPower_;
  const auto content = static_cast<int64_t>(keyLength + valueLength);
  return (kRecordHeaderSize + varnumSize(keyLength) + varnumSize(valueLength) + content + alignment - 1) & -alignment;
}

uint64_t HashFile::nextRow() const {
  uint64_t row;
  std::memcpy(&row, header() + kHeaderNextRow, 8);
  return row;
}

PackedRows HashFile::packedRows() const {
  uint64_t surplus = 0;
  const char *field = header() + kPackedOffset;
  std::memcpy(&surplus, field + 1, 6);
  return {*field != 0, surplus};
}

void HashFile::prefetchRecord(Place place) const {
  // A prefetch is only a hint, so the page need not be sound.
  int64_t bucket = bucketOffset(place.bucket);
  int64_t offset = static_cast<int64_t>(readAddress(file_->at(bucket)) << alignmentPower_);
  if (offset > 0 && offset < end()) __builtin_prefetch(file_->at(offset));
}

bool HashFile::findKey(const char *key, size_t length, Place place, HashBlock &record, ChainEnd *end) const {
  ChainEnd chain;
  chain.link = bucketOffset(place.bucket);
  chain.top = firstRecord(place.bucket);
  // Brent's cycle detection: compare with an earlier offset, which moves up in ever longer intervals.
  int64_t earlier = 0, steps = 0, interval = 8;
  bool found = false;
  for (int64_t offset = chain.top; offset > 0;) {
    if (offset == earlier) damaged("a chain of records is circular", offset);
    if (++steps == interval) {
      earlier = offset;
      interval *= 2;
    }
    readBlock(offset, record);
    if (record.isFree) damaged("a chain of records leads to a free block", offset);
    verifyKey(record);
    if (record.keyLength == length && std::memcmp(record.key, key, length) == 0) {
      found = true;
      break;
    }
    uint32_t pivot = hashKey(record.key, record.keyLength).pivot;
    bool goesLeft = place.pivot > pivot;
    if (place.pivot == pivot) {
      goesLeft = length != record.keyLength ? length > record.keyLength : std::memcmp(key, record.key, length) > 0;
    }
    chain.wentLeft |= goesLeft;
    chain.wentRight |= !goesLeft;
    chain.link = offset + 2 + (goesLeft ? 0 : kAddressSize);
    offset = goesLeft ? record.left : record.right;
  }
  if (end) *end = chain;
  return found;
}

void HashFile::checkRemoval(const HashBlock &record) const {
  if (record.left == 0 || record.right == 0) return;
  HashBlock block;
  int64_t earlier = 0, steps = 0, interval = 8;
  for (int64_t offset = record.left; offset > 0; offset = block.right) {
    if (offset == earlier || offset == record.offset) damaged("a chain of records is circular", offset);
    if (++steps == interval) {
      earlier = offset;
      interval *= 2;
    }
    readBlock(offset, block);
    if (block.isFree) damaged("a chain of records leads to a free block", offset);
    verifyKey(block);
  }
}

std::vector<HashFile::FreeRange> HashFile::storedFreeBlocks() const {
  std::vector<FreeRange> ranges;
  int64_t size = poolSize();
  if (size == 0) return ranges;
  file_->verify(kHashHeaderSize, size);
  const char *bytes = file_->at(kHashHeaderSize), *limit = bytes + size;
  int64_t offset = 0, previousEnd = recordStart_;
  while (bytes < limit && *bytes != 0) {
    uint64_t distance, blockSize;
    bytes = readVarnum(bytes, limit, &distance);
    if (bytes) bytes = readVarnum(bytes, limit, &blockSize);
    // Compare in alignment units, so that nothing can overflow.
    uint64_t rest = static_cast<uint64_t>(end() - offset) >> alignmentPower_;
    if (!bytes || distance > rest || blockSize == 0 || blockSize > rest - distance) {
      damaged("its list of free blocks is damaged", kHashHeaderSize);
    }
    offset += static_cast<int64_t>(distance << alignmentPower_);
    if (offset < previousEnd) damaged("its list of free blocks is damaged", kHashHeaderSize);
    ranges.push_back({offset, static_cast<int64_t>(blockSize << alignmentPower_)});
    previousEnd = offset + ranges.back().size;
  }
  return ranges;
}

void HashFile::checkFreeBlock(const FreeRange &range) const {
  HashBlock block;
  readBlock(range.offset, block);
  if (!block.isFree || block.size != range.size) damaged("its list of free blocks leads to a record", range.offset);
}

// Parses the header of a block. Calls `verify` with the length of a header that is longer than the shortest one.
template <class Verify>
inline const char *HashFile::parse(const char *bytes, int64_t offset, HashBlock &block, Verify verify) const {
  const int64_t available = end() - offset;
  uint8_t first = static_cast<uint8_t>(bytes[0]);
  block.offset = offset;
  int64_t paddingLength;
  if (first == kShortPaddingMagic) {
    paddingLength = static_cast<uint8_t>(bytes[1]);
  } else if (first == kFreeBlockMagic) {
    const char *magic = bytes + 2 + kAddressSize;
    block.isFree = true;
    block.size = static_cast<int64_t>(readAddress(bytes + 2) << alignmentPower_);
    if (static_cast<uint8_t>(bytes[1]) != kFreeBlockMagic || static_cast<uint8_t>(magic[0]) != kPaddingMagic ||
        static_cast<uint8_t>(magic[1]) != kPaddingMagic || block.size < kRecordHeaderSize + 2 ||
        block.size > available) {
      return "the header of a free block is damaged";
    }
    return nullptr;
  } else if (first >= 1 && first < 0x80) {
    paddingLength = static_cast<int64_t>(readBigEndian(bytes, 2));
  } else {
    return "the header of a record is damaged";
  }
  block.isFree = false;
  block.left = static_cast<int64_t>(readAddress(bytes + 2) << alignmentPower_);
  block.right = static_cast<int64_t>(readAddress(bytes + 2 + kAddressSize) << alignmentPower_);

  const char *lengths = bytes + kRecordHeaderSize;
  uint64_t keyLength = static_cast<uint8_t>(lengths[0]), valueLength = static_cast<uint8_t>(lengths[1]);
  const char *body = lengths + 2;
  if ((keyLength | valueLength) >= 0x80) {
    const int64_t headLimit = std::min<int64_t>(available, kLongestHead);
    verify(headLimit);
    body = readVarnum(lengths, bytes + headLimit, &keyLength);
    if (body) body = readVarnum(body, bytes + headLimit, &valueLength);
    if (!body) return "the lengths of a record are damaged";
  }
  // Compare one by one, so that no sum can overflow.
  uint64_t rest = static_cast<uint64_t>(available - (body - bytes));
  if (keyLength > rest || valueLength > rest - keyLength ||
      static_cast<uint64_t>(paddingLength) > rest - keyLength - valueLength) {
    return "a record is longer than the file";
  }
  block.key = file_->at(offset) + (body - bytes);
  block.keyLength = keyLength;
  block.value = block.key + keyLength;
  block.valueLength = valueLength;
  block.size = (body - bytes) + static_cast<int64_t>(keyLength + valueLength) + paddingLength;
  if (block.size & ((1LL << alignmentPower_) - 1)) return "a record has an invalid size";
  return nullptr;
}

const char *HashFile::parseBlock(const char *bytes, int64_t offset, HashBlock &block) const {
  return parse(bytes, offset, block, [](int64_t) {});
}

void HashFile::copyValue(const HashBlock &block, std::string &copy) const {
  constexpr size_t kPiece = 1 << 20;
  copy.reserve(copy.size() + block.valueLength);
  for (size_t start = 0; start < block.valueLength; start += kPiece) {
    const std::string_view piece(block.value + start, std::min(kPiece, block.valueLength - start));
    verifyBytes(piece);
    copy.append(piece);
    releaseValue(piece);
  }
}

void HashFile::readBlock(int64_t offset, HashBlock &block) const {
  if (offset < recordStart_ || end() - offset < kRecordHeaderSize + 2) damaged("a record lies outside of it", offset);
  file_->verify(offset, kRecordHeaderSize + 2);
  file_->noteLook(offset);
  const char *problem =
    parse(file_->at(offset), offset, block, [&](int64_t headLength) { file_->verify(offset, headLength); });
  if (problem) damaged(problem, offset);
  if (block.valueLength >= kLargeValue && !block.isFree) file_->noteLargeRecord();
}

void HashFile::damaged(const std::string &what, int64_t offset) const {
  Failure failure(
    TDN_DAMAGED, "the data file is damaged: " + what + "; restore a backup, or salvage the store",
    file_->name());
  failure.keyspace = keyspace_;
  failure.page = offset / kPageSize;
  throw failure;
}

}  // namespace todana
