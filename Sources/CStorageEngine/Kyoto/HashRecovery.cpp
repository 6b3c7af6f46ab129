#include "HashRecovery.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace todana {

namespace {

constexpr size_t kLongestKey = 1024;
// The maximum number of steps in a chain, which is a tree: a longer walk runs in a cycle.
constexpr int kMostSteps = 10'000;

// Calls `body` with each page of a range of bytes, and with the start and end of its part of the range. Stops if `body`
// returns false.
template <class Body> bool forEachPage(int64_t offset, int64_t byteCount, Body body) {
  const int64_t end = offset + byteCount;
  for (int64_t page = offset / kPageSize; page * kPageSize < end; page++) {
    const int64_t first = std::max(offset, page * kPageSize), last = std::min(end, (page + 1) * kPageSize);
    if (!body(page, first, last)) return false;
  }
  return true;
}

}  // namespace

// MARK: Bytes

// Tests whether the original bytes of the range are known.
bool HashRecovery::isKnown(int64_t offset, int64_t byteCount) const {
  const DataFile &file = *file_.file();
  return forEachPage(offset, byteCount, [&](int64_t page, int64_t first, int64_t last) {
    return file.isSound(first, last - first) || file.repairedCopy(page) != nullptr;
  });
}

// Copies the original bytes of a range. Returns false, and copies the damaged bytes, if the original ones are not
// known.
bool HashRecovery::copy(int64_t offset, int64_t byteCount, char *bytes) const {
  const DataFile &file = *file_.file();
  bool isKnown = true;
  forEachPage(offset, byteCount, [&](int64_t page, int64_t first, int64_t last) {
    const char *from = file.at(first);
    if (!file.isSound(first, last - first)) {
      const char *repaired = file.repairedCopy(page);
      if (repaired) from = repaired + (first - page * kPageSize);
      isKnown &= repaired != nullptr;
    }
    std::memcpy(bytes + (first - offset), from, static_cast<size_t>(last - first));
    return true;
  });
  return isKnown;
}

// Returns false if a byte of the value is wrong. Sets `isKnown` to whether that can be determined for all bytes.
bool HashRecovery::isSoundByPages(std::string_view value, bool &isKnown) const {
  isKnown = true;
  if (value.empty()) return true;
  const DataFile &file = *file_.file();
  return forEachPage(
    file_.offset(value.data()), static_cast<int64_t>(value.size()), [&](int64_t page, int64_t first, int64_t last) {
      if (file.isSound(first, last - first)) return true;
      const char *repaired = file.repairedCopy(page);
      if (!repaired) {
        isKnown = false;
        return true;
      }
      const size_t length = static_cast<size_t>(last - first);
      return std::memcmp(repaired + (first - page * kPageSize), file.at(first), length) == 0;
    });
}

bool HashRecovery::isSound(uint64_t row, std::string_view value) const {
  bool isKnown;
  if (!isSoundByPages(value, isKnown)) return false;
  return isKnown || (file_.recordCheck() && file_.recordCheck()->isSound(row, value));
}

bool HashRecovery::isSound(std::string_view key, std::string_view value) const {
  bool isKnown;
  if (!isSoundByPages(value, isKnown)) return false;
  return isKnown || (file_.recordCheck() && file_.recordCheck()->isSound(key, value));
}

// MARK: Blocks

bool HashRecovery::readBlock(int64_t offset, Block &block) const {
  const int64_t available = file_.end() - offset, alignment = int64_t{1} << file_.alignmentPower();
  if (offset < file_.recordStart() || offset % alignment != 0 || available < kRecordHeaderSize + 2) return false;
  char head[HashFile::kLongestHead] = {};
  copy(offset, std::min(available, HashFile::kLongestHead), head);
  if (file_.parseBlock(head, offset, block)) return false;
  if (block.isFree) {
    block.isCertain = isKnown(offset, kFreeBlockHeaderSize);
    return true;
  }
  if (block.keyLength == 0 || block.keyLength > kLongestKey) return false;
  block.isCertain = isKnown(offset, block.key - file_.file()->at(offset));
  block.keyBytes.resize(block.keyLength);
  block.isCertain &= copy(file_.offset(block.key), static_cast<int64_t>(block.keyLength), block.keyBytes.data());
  return !block.isCertain || (isLink(block.left) && isLink(block.right));
}

// Tests whether the offset is 0, or one at which a record may start. If other content looks like a record's header, its
// links mostly fail this test.
bool HashRecovery::isLink(int64_t offset) const {
  return offset == 0 || (offset >= file_.recordStart() && offset < file_.end());
}

bool HashRecovery::isClear(const Block &block, const std::vector<int64_t> &starts) {
  const auto next = std::upper_bound(starts.begin(), starts.end(), block.offset);
  return next == starts.end() || *next >= block.offset + block.size;
}

bool HashRecovery::isPlaced(const Block &block) const {
  if (block.isCertain) return true;
  if (block.isFree) return isFollowed(block);
  Block other;
  return hasSoundValue(block) || (walk(block.keyBytes, other) == Way::found && other.offset == block.offset);
}

bool HashRecovery::hasRightEnd(const Block &block) const {
  return block.isCertain || isFollowed(block) || hasRightPadding(block);
}

bool HashRecovery::hasRightEnd(const Block &block, const std::vector<int64_t> &starts) const {
  if (!isClear(block, starts)) return false;
  if (block.isCertain) return true;
  const int64_t end = block.offset + block.size;
  if (std::binary_search(starts.begin(), starts.end(), end)) return true;
  Block next;
  const bool isFollowed = end == file_.end() || (readBlock(end, next) && isClear(next, starts));
  return isFollowed || hasRightPadding(block);
}

int64_t HashRecovery::leastEnd(const Block &block, const std::vector<int64_t> &starts) const {
  const int64_t end = block.isFree ? block.offset + kFreeBlockHeaderSize
                                   : file_.offset(block.value) + static_cast<int64_t>(block.valueLength);
  const auto next = std::upper_bound(starts.begin(), starts.end(), block.offset);
  return next == starts.end() ? end : std::min(end, *next);
}

bool HashRecovery::isFollowed(const Block &block) const {
  const int64_t next = block.offset + block.size;
  Block other;
  return next == file_.end() || readBlock(next, other);
}

// Tests whether the bytes between the value and the end of the record are padding. Free blocks have none.
bool HashRecovery::hasRightPadding(const Block &record) const {
  if (record.isFree) return false;
  const char *padding = record.value + record.valueLength, *end = file_.file()->at(record.offset + record.size);
  if (padding == end) return hasSoundValue(record);
  return static_cast<uint8_t>(*padding) == kPaddingMagic && std::all_of(padding + 1, end, [](char c) { return c == 0; });
}

// Tests the key of a record by the record's own check. For a pack, tests it by the checks of the rows, of which one
// sound row is enough.
bool HashRecovery::hasSoundValue(const Block &record) const {
  const RecordCheck *check = file_.recordCheck();
  if (!check) return false;
  const std::string_view value(record.value, record.valueLength);
  if (check->isSound(std::string_view(record.keyBytes), value)) return true;
  uint64_t number;
  if (RowKey::parse(record.keyBytes.data(), record.keyBytes.size(), &number)) return check->isSound(number, value);
  Pack pack;
  if (!PackKey::parse(record.keyBytes.data(), record.keyBytes.size(), &number) || !openPack(record, pack)) return false;
  for (uint32_t rest = pack.rows(); rest != 0; rest &= rest - 1) {
    const int index = __builtin_ctz(rest);
    std::string_view row;
    if (pack.row(index, row) && check->isSound((number << kPackPower) + static_cast<uint64_t>(index), row)) return true;
  }
  return false;
}

bool HashRecovery::openPack(const Block &record, Pack &pack) const {
  const size_t headLength = RowPack::headLength(record.valueLength);
  pack.isCertain = copy(file_.offset(record.value), static_cast<int64_t>(headLength), pack.head);
  return pack.open(pack.head, record.value, record.valueLength);
}

// MARK: Chains

bool HashRecovery::readLink(int64_t offset, int64_t &link) const {
  char bytes[kAddressSize];
  const bool isCertain = copy(offset, kAddressSize, bytes);
  link = static_cast<int64_t>(readAddress(bytes) << file_.alignmentPower());
  return isCertain;
}

// Walks a bucket's chain to the record of a key. Returns `unknown` at the first uncertain link or header.
HashRecovery::Way HashRecovery::walk(std::string_view key, Block &found) const {
  const HashFile::Place place = file_.place(key.data(), key.size());
  int64_t offset;
  if (!readLink(file_.bucketOffset(place.bucket), offset)) return Way::unknown;
  for (int step = 0; offset > 0; step++) {
    if (step == kMostSteps || !readBlock(offset, found) || found.isFree) return Way::unknown;
    const std::string &other = found.keyBytes;
    if (other == key) return Way::found;
    if (!found.isCertain) return Way::unknown;
    if (file_.place(other.data(), other.size()).bucket != place.bucket) return Way::unknown;
    offset = HashFile::goesLeft(key, place, other) ? found.left : found.right;
  }
  return Way::absent;
}

// Visits the records to which a bucket leads over certain bytes only. Returns false if there may be others.
template <class Visit> bool HashRecovery::visitChain(int64_t bucket, Visit visit) const {
  std::vector<int64_t> waiting(1);
  if (!readLink(file_.bucketOffset(bucket), waiting[0])) return false;
  bool isWhole = true;
  Block block;
  for (int step = 0; !waiting.empty(); step++) {
    const int64_t offset = waiting.back();
    waiting.pop_back();
    if (offset == 0) continue;
    if (step >= 2 * kMostSteps || offset < file_.recordStart() || offset >= file_.end()) return false;
    visit(offset);
    const bool isCertain = readBlock(offset, block) && !block.isFree && block.isCertain &&
                           file_.place(block.keyBytes.data(), block.keyBytes.size()).bucket == bucket;
    if (isCertain) {
      waiting.push_back(block.left);
      waiting.push_back(block.right);
    }
    isWhole &= isCertain;
  }
  return isWhole;
}

std::vector<int64_t> HashRecovery::reachableRecords() const {
  std::vector<int64_t> found;
  for (int64_t bucket = 0; bucket < file_.bucketCount(); bucket++) {
    visitChain(bucket, [&](int64_t offset) { found.push_back(offset); });
  }
  std::sort(found.begin(), found.end());
  return found;
}

int64_t HashRecovery::nextBlock(int64_t offset, int64_t end, const std::vector<int64_t> &reachable) const {
  Block block;
  auto next = std::lower_bound(reachable.begin(), reachable.end(), offset);
  for (; next != reachable.end() && *next < end; ++next) {
    if (readBlock(*next, block) && isPlaced(block)) return *next;
  }
  return end;
}

// MARK: Finding

// Finds the record of a key. Returns `damaged` if it may exist and was not found.
HashRecovery::Outcome HashRecovery::find(std::string_view key, int64_t end, Block &record) {
  const auto outcome = [&] { return record.offset < end ? Outcome::found : Outcome::absent; };
  switch (walk(key, record)) {
    case Way::found: return outcome();
    case Way::absent: return Outcome::absent;
    case Way::unknown: break;
  }
  MutexLock lock(mutex_);
  if (!strays_ || strays_->repairCount != file_.file()->repairCount()) search();
  auto stray = strays_->offsets.find(std::string(key));
  if (stray != strays_->offsets.end() && readBlock(stray->second, record) && !record.isFree && record.keyBytes == key) {
    return outcome();
  }
  return strays_->isWhole ? Outcome::absent : Outcome::damaged;
}

// Scans the file once for the records of all buckets whose chains are not entirely certain.
void HashRecovery::search() {
  strays_.emplace();
  strays_->repairCount = file_.file()->repairCount();
  std::unordered_set<int64_t> broken;
  for (int64_t bucket = 0; bucket < file_.bucketCount(); bucket++) {
    if (!visitChain(bucket, [](int64_t) {})) broken.insert(bucket);
  }
  const std::vector<int64_t> starts = reachableRecords();
  const int64_t end = file_.end();
  Block block;
  for (int64_t offset = file_.recordStart(); offset < end;) {
    const bool isBlock = readBlock(offset, block) && isPlaced(block);
    if (isBlock && hasRightEnd(block, starts)) {
      offset += block.size;
    } else {
      strays_->isWhole = false;
      offset = nextBlock(isBlock ? leastEnd(block, starts) : offset + 1, end, starts);
    }
    if (!isBlock || block.isFree || broken.count(file_.place(block.keyBytes.data(), block.keyBytes.size()).bucket) == 0) continue;
    if (strays_->offsets.size() < kMostStrays) {
      strays_->offsets.emplace(block.keyBytes, block.offset);
    } else {
      strays_->isWhole = false;
    }
  }
}

HashRecovery::Outcome HashRecovery::findKey(std::string_view key, int64_t end, std::string_view &value) {
  Block record;
  if (const Outcome outcome = find(key, end, record); outcome != Outcome::found) return outcome;
  value = {record.value, record.valueLength};
  return isSound(key, value) ? Outcome::found : Outcome::damaged;
}

HashRecovery::Outcome HashRecovery::findRow(uint64_t row, int64_t end, std::string_view &value) {
  const RowKey key(row);
  Block record;
  if (const Outcome outcome = find({key.bytes, key.length}, end, record); outcome != Outcome::found) return outcome;
  value = {record.value, record.valueLength};
  return isSound(row, value) ? Outcome::found : Outcome::damaged;
}

HashRecovery::Outcome HashRecovery::findPackedRow(uint64_t row, int64_t end, std::string_view &value) {
  const PackKey key(packNumber(row));
  Block record;
  if (const Outcome outcome = find({key.bytes, key.length}, end, record); outcome != Outcome::found) return outcome;
  Pack pack;
  const bool isOpen = openPack(record, pack);
  return findRow(row, pack, isOpen, end, value);
}

HashRecovery::Outcome HashRecovery::findRow(
  uint64_t row, const Pack &pack, bool isOpen, int64_t end, std::string_view &value) {
  const int index = packIndex(row);
  if (!isOpen || !pack.isCertain) {
    // A row that has left the pack has kept its slot there, with its old bytes.
    const RowKey key(row);
    Block single;
    if (find({key.bytes, key.length}, end, single) == Outcome::found) return Outcome::absent;
  }
  if (!isOpen) return Outcome::damaged;
  if (pack.contains(index)) return pack.row(index, value) && isSound(row, value) ? Outcome::found : Outcome::damaged;
  if (pack.isCertain) return Outcome::absent;
  const bool hasSlot = pack.slots() >> index & 1;
  return !hasSlot && hasRightSlots(packNumber(row), pack) ? Outcome::absent : Outcome::damaged;
}

// Tests whether the slots of a pack are right. Wrong slots would lead to wrong bytes for every row, so one sound row is
// enough.
bool HashRecovery::hasRightSlots(uint64_t number, const Pack &pack) const {
  for (uint32_t rest = pack.rows(); rest != 0; rest &= rest - 1) {
    const int index = __builtin_ctz(rest);
    std::string_view row;
    if (pack.row(index, row) && isSound((number << kPackPower) + static_cast<uint64_t>(index), row)) return true;
  }
  return false;
}

HashRecovery::Outcome HashRecovery::findAgain(const Block &record, int64_t end) {
  Block other;
  const Outcome outcome = find(record.keyBytes, end, other);
  return outcome == Outcome::found && other.offset != record.offset ? Outcome::absent : outcome;
}

}  // namespace todana
