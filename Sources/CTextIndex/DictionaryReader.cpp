#include "DictionaryReader.h"

#include <algorithm>

namespace todana::text {

void Fences::read(StreamReader &stream, uint64_t pageCount) {
  // A fence has two bytes at least.
  if (stream.streamSize() > UINT32_MAX || pageCount > stream.streamSize() / 2) throw Damaged();
  const Bytes all = stream.readAll();
  Input input(all.data(), all.size());
  starts_.reserve(pageCount + 1);
  bytes_.reserve(all.size());
  starts_.push_back(0);
  for (uint64_t page = 0; page < pageCount; page++) {
    const size_t size = input.varint(kLongestKey);
    const uint8_t *const key = input.take(size);
    bytes_.insert(bytes_.end(), key, key + size);
    starts_.push_back(static_cast<uint32_t>(bytes_.size()));
    if (page > 0 && !((*this)[page - 1] < (*this)[page])) throw Damaged();
  }
  if (!input.isAtEnd()) throw Damaged();
}

size_t Fences::page(Key key) const {
  size_t low = 0, high = pageCount();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((*this)[middle] <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? 0 : low - 1;
}

bool DictionaryCursor::seek(Key key) {
  if (fences_.pageCount() == 0) return false;
  openPage(fences_.page(key));
  openRun(key);
  // The number of bytes that the term before, which is lower, has in common with the key.
  size_t match = 0;
  while (next()) {
    // A term differs from the one before at `shared_`, where it is higher.
    if (shared_ > match) continue;
    if (shared_ < match) return true;
    while (match < key.size() && match < keySize_ && key_[match] == key[match]) match++;
    if (match == key.size()) return true;
    if (match < keySize_ && static_cast<uint8_t>(key_[match]) > static_cast<uint8_t>(key[match])) return true;
  }
  return false;
}

bool DictionaryCursor::next() {
  while (term_ == termCount_) {
    if (page_ >= fences_.pageCount()) return false;
    openPage(page_);
  }
  readTerm();
  term_++;
  return true;
}

void DictionaryCursor::openPage(size_t page) {
  bytes_ = pages_.page(page);
  termCount_ = bytes_->bytes[0] | static_cast<size_t>(bytes_->bytes[1]) << 8;
  offset_ = headSize(termCount_);
  if (offset_ > kPageSize) throw Damaged();
  term_ = 0;
  keySize_ = 0;
  page_ = page + 1;
}

size_t DictionaryCursor::offsetOfRun(size_t run) const {
  if (run == 0) return headSize(termCount_);
  const size_t offset = bytes_->bytes[2 * run] | static_cast<size_t>(bytes_->bytes[2 * run + 1]) << 8;
  if (offset > kPageSize) throw Damaged();
  return offset;
}

void DictionaryCursor::openRun(Key key) {
  size_t low = 0, high = runCount(termCount_);
  // The first key of the run before `low` is not higher.
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const size_t offset = offsetOfRun(middle);
    Input input(bytes_->bytes + offset, kPageSize - offset);
    input.varint(0);
    const size_t size = input.varint(kLongestKey);
    const Key first(reinterpret_cast<const char *>(input.take(size)), size);
    if (first <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return;
  term_ = (low - 1) * kRun;
  offset_ = offsetOfRun(low - 1);
}

void DictionaryCursor::readTerm() {
  const bool isFirstOfRun = term_ % kRun == 0;
  if (isFirstOfRun && offset_ != offsetOfRun(term_ / kRun)) throw Damaged();
  Input input(bytes_->bytes + offset_, kPageSize - offset_);
  shared_ = input.varint(keySize_);
  const size_t more = input.varint(kLongestKey - shared_);
  const uint8_t *const suffix = input.take(more);
  // The order is required, so that the merging of segments ends.
  const bool isGreater =
    isFirstOfRun      ? shared_ == 0 && key() < Key(reinterpret_cast<const char *>(suffix), more)
    : shared_ == keySize_ ? more > 0 : more > 0 && suffix[0] > static_cast<uint8_t>(key_[shared_]);
  if (!isGreater) throw Damaged();
  std::memcpy(key_ + shared_, suffix, more);
  keySize_ = shared_ + more;
  documentCount_ = static_cast<uint32_t>(input.varint(UINT32_MAX));
  documents_ = readList(input);
  positions_ = shape(static_cast<uint8_t>(key_[0]), keepsPositions_).hasPositions ? readList(input) : RawList();
  offset_ = kPageSize - input.left();
}

DictionaryCursor::RawList DictionaryCursor::readList(Input &input) {
  const uint64_t head = input.varint();
  RawList list;
  list.size = head >> 1;
  list.isInStream = (head & 1) != 0;
  if (list.isInStream) {
    list.address = input.varint();
  } else {
    list.bytes = input.take(list.size);
  }
  return list;
}

TermEntry DictionaryCursor::entry() const {
  TermEntry entry;
  entry.documentCount = documentCount_;
  entry.documents = copy(documents_);
  entry.positions = copy(positions_);
  return entry;
}

ListBytes DictionaryCursor::copy(const RawList &list) {
  ListBytes bytes;
  bytes.isInStream = list.isInStream;
  bytes.address = list.address;
  bytes.size = list.size;
  if (!list.isInStream) bytes.bytes.assign(list.bytes, list.bytes + list.size);
  return bytes;
}

}  // namespace todana::text
