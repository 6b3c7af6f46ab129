#include "RecordSieve.h"

#include <algorithm>

#include "../Kyoto/HashFormat.h"

namespace todana {

namespace {

// Header, and both lengths at their longest.
constexpr int64_t kLongestHead = kRecordHeaderSize + 2 * 9;
constexpr int64_t kSmallestBlock = kRecordHeaderSize + 2;
constexpr uint64_t kLongestKey = 1024;

}  // namespace

void RecordSieve::run(const Accept &accept, const Damage &damage, const Progress &progress) {
  int64_t offset = start_;
  while (offset + kSmallestBlock <= file_.size()) {
    progress(offset);
    Record record{};
    const Kind kind = parse(offset, record);
    // `accept` and what looks further may move the window: of the record nothing is used then but its size.
    const int64_t next = offset + record.size;
    if (kind == Kind::record && (offset == accepted_ || accept(record))) {
      offset = maySucceed(next) ? next : search(next, file_.size(), accept, damage);
    } else if (kind == Kind::none || !maySucceed(next)) {
      offset = search(offset + (offset == start_ ? 0 : alignment_), file_.size(), accept, damage);
    } else if (kind == Kind::free && file_.isSound(offset, kFreeBlockHeaderSize)) {
      offset = next;
    } else {
      // The length may be wrong, and lead to another block all the same.
      const int64_t found = search(offset + alignment_, next, accept, [](const Record &) {});
      if (kind == Kind::record) {
        parse(offset, record);
        damage(record);
      }
      offset = found;
    }
  }
}

// Whether something that starts here can follow a block: another, or the end.
bool RecordSieve::maySucceed(int64_t offset) {
  Record ignored{};
  return offset == file_.size() || (offset < file_.size() && parse(offset, ignored) != Kind::none);
}

// The next place before `end` with a record that is accepted, or `end`.
int64_t RecordSieve::search(int64_t offset, int64_t end, const Accept &accept, const Damage &damage) {
  const int64_t start = offset;
  const auto passedOver = [&] {
    if (offset > start) damage({start, offset - start, {}, {}});
  };
  for (; offset + kSmallestBlock <= end; offset += alignment_) {
    Record record{};
    if (parse(offset, record) != Kind::record || record.size > searchBudget_) continue;
    searchBudget_ -= record.size;
    if (!accept(record)) continue;
    accepted_ = offset;
    passedOver();
    return offset;
  }
  offset = end;
  passedOver();
  return end;
}

RecordSieve::Kind RecordSieve::parse(int64_t offset, Record &record) {
  const int64_t available = file_.size() - offset;
  if (available < kSmallestBlock) return Kind::none;
  const int64_t headLimit = std::min(available, kLongestHead);
  const char *bytes = file_.view(offset, headLimit);
  const uint8_t first = static_cast<uint8_t>(bytes[0]);
  record.offset = offset;
  uint64_t padding;
  if (first == kFreeBlockMagic) {
    const char *magic = bytes + 2 + kAddressSize;
    const uint64_t size = readAddress(bytes + 2);
    if (static_cast<uint8_t>(bytes[1]) != kFreeBlockMagic || static_cast<uint8_t>(magic[0]) != kPaddingMagic ||
        static_cast<uint8_t>(magic[1]) != kPaddingMagic || size == 0 ||
        size > static_cast<uint64_t>(available) >> power_) {
      return Kind::none;
    }
    record.size = static_cast<int64_t>(size << power_);
    return Kind::free;
  }
  if (first == kShortPaddingMagic) {
    padding = static_cast<uint8_t>(bytes[1]);
  } else if (first >= 1 && first < 0x80) {
    padding = readBigEndian(bytes, 2);
  } else {
    return Kind::none;
  }
  uint64_t keyLength, valueLength;
  const char *body = readVarnum(bytes + kRecordHeaderSize, bytes + headLimit, &keyLength);
  if (body) body = readVarnum(body, bytes + headLimit, &valueLength);
  if (!body || keyLength == 0 || keyLength > kLongestKey) return Kind::none;
  const int64_t headSize = body - bytes;
  const uint64_t rest = static_cast<uint64_t>(available - headSize);
  if (keyLength > rest || valueLength > rest - keyLength || padding > rest - keyLength - valueLength) return Kind::none;
  record.size = headSize + static_cast<int64_t>(keyLength + valueLength + padding);
  if (record.size % alignment_ != 0) return Kind::none;
  const char *whole = file_.view(offset, headSize + static_cast<int64_t>(keyLength + valueLength));
  record.key = {whole + headSize, keyLength};
  record.value = {whole + headSize + keyLength, valueLength};
  return Kind::record;
}

}  // namespace todana
