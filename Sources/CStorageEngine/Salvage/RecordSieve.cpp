#include "RecordSieve.h"

#include <algorithm>

#include "../Kyoto/HashFormat.h"

namespace todana {

namespace {

// A header with both lengths at their longest.
constexpr int64_t kLongestHead = kRecordHeaderSize + 2 * 9;
constexpr int64_t kSmallestBlock = kRecordHeaderSize + 2;
constexpr uint64_t kLongestKey = 1024;

}  // namespace

void RecordSieve::run(const Glance &glance, const Accept &accept, const Damage &damage, const Progress &progress) {
  glance_ = &glance;
  accept_ = &accept;
  int64_t offset = start_;
  while (offset + kSmallestBlock <= file_.size()) {
    progress(offset);
    const Block block = parse(offset);
    const int64_t next = offset + block.size;
    if (block.kind == Kind::record && (offset == accepted_ || accept(load(offset, block)))) {
      offset = maySucceed(next) ? next : search(next, file_.size(), damage);
    } else if (block.kind == Kind::none || !maySucceed(next)) {
      offset = search(offset + (offset == start_ ? 0 : alignment_), file_.size(), damage);
    } else if (block.kind == Kind::free && file_.isSound(offset, kFreeBlockHeaderSize)) {
      offset = next;
    } else {
      // A wrong length may lead to another block by chance, so search the skipped part.
      const int64_t found = search(offset + alignment_, next, [](const Record &) {});
      if (block.kind == Kind::record) damage(load(offset, block));
      offset = found;
    }
  }
}

// Tests whether a block may end at the offset: another block starts there, or the file ends.
bool RecordSieve::maySucceed(int64_t offset) {
  return offset == file_.size() || (offset < file_.size() && parse(offset).kind != Kind::none);
}

// Returns the next offset before `end` with an accepted record, or `end`.
int64_t RecordSieve::search(int64_t offset, int64_t end, const Damage &damage) {
  const int64_t start = offset;
  const auto passedOver = [&] {
    if (offset > start) damage({start, offset - start, {}, {}});
  };
  for (; offset + kSmallestBlock <= end; offset += alignment_) {
    const Block block = parse(offset);
    if (block.kind != Kind::record || block.size > searchBudget_) continue;
    const int64_t glanced = std::min<int64_t>(block.valueLength, kGlance);
    const char *key = file_.view(offset, block.headSize + block.keyLength + glanced) + block.headSize;
    const size_t keyLength = static_cast<size_t>(block.keyLength);
    if (!(*glance_)(
          {key, keyLength}, {key + keyLength, static_cast<size_t>(glanced)}, static_cast<uint64_t>(block.valueLength))) {
      continue;
    }
    searchBudget_ -= block.size;
    if (!(*accept_)(load(offset, block))) continue;
    accepted_ = offset;
    passedOver();
    return offset;
  }
  offset = end;
  passedOver();
  return end;
}

RecordSieve::Block RecordSieve::parse(int64_t offset) {
  Block block;
  const int64_t available = file_.size() - offset;
  if (available < kSmallestBlock) return block;
  const int64_t headLimit = std::min(available, kLongestHead);
  const char *bytes = file_.view(offset, headLimit);
  const uint8_t first = static_cast<uint8_t>(bytes[0]);
  uint64_t padding;
  if (first == kFreeBlockMagic) {
    const char *magic = bytes + 2 + kAddressSize;
    const uint64_t size = readAddress(bytes + 2);
    if (static_cast<uint8_t>(bytes[1]) != kFreeBlockMagic || static_cast<uint8_t>(magic[0]) != kPaddingMagic ||
        static_cast<uint8_t>(magic[1]) != kPaddingMagic || size == 0 ||
        size > static_cast<uint64_t>(available) >> power_) {
      return block;
    }
    block.kind = Kind::free;
    block.size = static_cast<int64_t>(size << power_);
    return block;
  }
  if (first == kShortPaddingMagic) {
    padding = static_cast<uint8_t>(bytes[1]);
  } else if (first >= 1 && first < 0x80) {
    padding = readBigEndian(bytes, 2);
  } else {
    return block;
  }
  uint64_t keyLength, valueLength;
  const char *body = readVarnum(bytes + kRecordHeaderSize, bytes + headLimit, &keyLength);
  if (body) body = readVarnum(body, bytes + headLimit, &valueLength);
  if (!body || keyLength == 0 || keyLength > kLongestKey) return block;
  const uint64_t rest = static_cast<uint64_t>(available - (body - bytes));
  if (keyLength > rest || valueLength > rest - keyLength || padding > rest - keyLength - valueLength) return block;
  const int64_t size = (body - bytes) + static_cast<int64_t>(keyLength + valueLength + padding);
  if (size % alignment_ != 0) return block;
  block.kind = Kind::record;
  block.size = size;
  block.headSize = body - bytes;
  block.keyLength = static_cast<int64_t>(keyLength);
  block.valueLength = static_cast<int64_t>(valueLength);
  return block;
}

// Returns the record. Valid until other bytes of the file are read.
RecordSieve::Record RecordSieve::load(int64_t offset, const Block &block) {
  const char *key = file_.view(offset, block.headSize + block.keyLength + block.valueLength) + block.headSize;
  return {offset, block.size, {key, static_cast<size_t>(block.keyLength)},
          {key + block.keyLength, static_cast<size_t>(block.valueLength)}};
}

}  // namespace todana
